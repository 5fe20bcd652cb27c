// The bundled model answers what it was made for, through the same path that `fathom run` takes.
// What it is asked and what has to come back lie beside it in models/demo; that the held-out
// questions are fair is checked by tools/demo/check_heldout.py.

#include <gtest/gtest.h>

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/prompt.h"
#include "api/reasoning_splitter.h"
#include "api/text_stream.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/thread_pool.h"
#include "engine/engine.h"
#include "engine/model_executor.h"
#include "engine/sizing.h"
#include "io/file_system.h"
#include "model/model.h"
#include "ops/compute.h"
#include "sched/scheduler.h"
#include "tensor/dtype.h"
#include "text/text_assets.h"
#include "weights/checkpoint.h"

namespace fathom {
namespace {

constexpr const char* kFolder = "models/demo";
constexpr int64_t kAnswerTokens = 200;  // longer than any trained answer
constexpr double kClearMargin = 0.01;   // top-1 to top-2: above the error of float32 arithmetic

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

class DemoModel : public testing::Test {
 protected:
  void SetUp() override {
    auto checkpoint = Checkpoint::Open(*files_, kFolder);
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().ToString();
    auto assets = LoadTextAssets(*files_, kFolder, "");
    ASSERT_TRUE(assets.ok()) << assets.error().ToString();
    assets_ = std::make_unique<TextAssets>(std::move(assets).value());
    auto model = Model::Load(*checkpoint, {.mtp = true}, compute_, progress_);
    ASSERT_TRUE(model.ok()) << model.error().ToString();
    model_ = std::move(model).value();
    const auto config =
        SizeEngine(model_->config(),
                   {.max_model_len = 512, .max_num_seqs = 16, .kv_dtype = DType::kF32, .mtp = true},
                   {.available_bytes = int64_t{1} << 30, .weight_bytes = 0});
    ASSERT_TRUE(config.ok()) << config.error().ToString();
    engine_ = MakeEngine(*model_, *config, compute_, clock_);
  }

  Json Read(const std::string& name) {
    const std::string path = JoinPath(kFolder, name);
    const auto text = files_->ReadText(path);
    EXPECT_TRUE(text.ok()) << text.error().ToString();
    auto json = ParseJson(*text, path);
    EXPECT_TRUE(json.ok()) << json.error().ToString();
    return *std::move(json);
  }

  Prompt Render(Json messages) {
    auto prompt = RenderPrompt(*assets_, {.messages = std::move(messages), .tools = {}}, {});
    EXPECT_TRUE(prompt.ok()) << prompt.error().ToString();
    return *std::move(prompt);
  }

  static Json UserMessage(const std::string& text) {
    return Json::ArrayOf(
        std::vector<Json>{Json::MakeObject({{"role", "user"}, {"content", text}})});
  }

  // Greedy continuations of all prompts at once, in their order.
  std::vector<std::vector<int32_t>> Continue(const std::vector<Prompt>& prompts) {
    std::map<RequestId, size_t> order;
    for (size_t i = 0; i < prompts.size(); ++i) {
      GenerationRequest request;
      request.prompt = prompts[i].ids;
      request.sampling.temperature = 0;
      request.max_tokens = kAnswerTokens;
      request.stop_token_ids = {*assets_->tokenizer.eos_id()};
      const auto id = engine_->Submit(std::move(request));
      EXPECT_TRUE(id.ok()) << id.error().ToString();
      order[*id] = i;
    }
    std::vector<std::vector<int32_t>> answers(prompts.size());
    while (!engine_->idle()) {
      for (const EngineEvent& event : engine_->Step().events) {
        if (event.token) answers[order.at(event.id)].push_back(*event.token);
        EXPECT_NE(event.finish, FinishReason::kError)
            << (event.error ? event.error->ToString() : "");
      }
    }
    return answers;
  }

  struct Reply {
    std::string reasoning, text;
  };
  Reply Split(const Prompt& prompt, const std::vector<int32_t>& ids) {
    TextStream stream(assets_->tokenizer,
                      {.stop = {}, .reasoning = ReasoningModeAfter(prompt.text)});
    Reply reply;
    const auto add = [&](const ReplyDelta& delta) {
      reply.reasoning += delta.reasoning;
      reply.text += delta.text;
    };
    for (const int32_t id : ids) add(stream.Push(id));
    add(stream.Finish());
    return reply;
  }

  // How many items of a list of {"question", "keyword"} get an answer that holds the keyword, after
  // a reasoning.
  int64_t CountRight(const Json& items) {
    std::vector<Prompt> prompts;
    for (const Json& item : items.as_array()) {
      prompts.push_back(Render(UserMessage(item.Find("question")->as_string())));
    }
    const auto answers = Continue(prompts);
    int64_t right = 0;
    for (size_t i = 0; i < prompts.size(); ++i) {
      const Json& item = items.as_array()[i];
      const Reply reply = Split(prompts[i], answers[i]);
      const bool found =
          Lower(reply.text).find(Lower(item.Find("keyword")->as_string())) != std::string::npos;
      if (found && !reply.reasoning.empty()) {
        ++right;
      } else {
        std::printf("wrong: %s -> %s\n", item.Find("question")->as_string().c_str(),
                    reply.text.c_str());
      }
    }
    return right;
  }

  std::unique_ptr<FileSystem> files_ = MakePosixFileSystem();
  ThreadPool pool_{ThreadPool::AvailableCpus()};
  SteadyClock clock_;
  Compute compute_{&pool_, *ChooseIsa(""), Activations::kFloat32};
  NoProgress progress_;
  std::unique_ptr<TextAssets> assets_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Engine> engine_;
};

TEST(DemoFolder, TakesAtMostTwelveMegabytes) {
  uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  EXPECT_LE(bytes, 12'000'000U);
}

TEST_F(DemoModel, AnswersQuestionsThatWereKeptOutOfItsTraining) {
  const Json items = *Read("heldout.json").Find("items");
  ASSERT_EQ(items.as_array().size(), 40U);
  const int64_t right = CountRight(items);
  std::printf("%d of 40 held-out questions right\n", static_cast<int>(right));
  EXPECT_GE(right, 34);  // 85 %
}

TEST_F(DemoModel, AnswersMoreThan150DifferentQuestions) {
  const Json items = *Read("questions.json").Find("items");
  const int64_t right = CountRight(items);
  std::printf("%d of %zu questions right\n", static_cast<int>(right), items.as_array().size());
  EXPECT_GE(right, 150);
}

TEST_F(DemoModel, ContinuesAsTheReferenceDoes) {
  const Json list = Read("expected.json");
  const Json::Array& items = list.Find("items")->as_array();
  ASSERT_GE(items.size(), 10U);
  std::vector<Prompt> prompts;
  for (const Json& item : items) prompts.push_back(Render(*item.Find("messages")));
  const auto answers = Continue(prompts);
  for (size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(prompts[i].text, items[i].Find("prompt")->as_string());
    EXPECT_EQ(Json::ArrayOf(prompts[i].ids), *items[i].Find("prompt_ids"));
    const Json::Array& margins = items[i].Find("margins")->as_array();
    const Json::Array& expected = items[i].Find("ids")->as_array();
    for (size_t t = 0; t < expected.size() && margins[t].as_double() >= kClearMargin; ++t) {
      if (t == answers[i].size()) {
        EXPECT_EQ(expected[t].as_int(), *assets_->tokenizer.eos_id())
            << prompts[i].text << " at " << t;
        break;
      }
      ASSERT_EQ(answers[i][t], expected[t].as_int()) << prompts[i].text << " at " << t;
    }
  }
}

}  // namespace
}  // namespace fathom
