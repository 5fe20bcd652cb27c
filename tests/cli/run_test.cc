#include <gtest/gtest.h>
#include <signal.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "tests/cli/child_process.h"
#include "tests/cli/tiny_model.h"

namespace fathom {
namespace {

using Words = std::vector<std::string>;

Words Join(Words first, const Words& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

class RunTest : public testing::Test {
 protected:
  Outcome Run(const Words& args, std::string_view input = "") {
    return RunFathom(Join({"run", model_}, args), input);
  }
  Json RunJson(const Words& args) {
    const Outcome outcome = Run(Join(args, {"--json"}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return ParseJson(outcome.out, "output").value();
  }

  ScratchFolder folder_;
  std::string model_ = WriteTinyModel(folder_, "tiny");
};

int64_t Int(const Json& json, std::string_view group, std::string_view key) {
  return json.Find(group)->Find(key)->as_int();
}

TEST_F(RunTest, JsonIsOneObjectOfTheDocumentedForm) {
  const Json json =
      RunJson({"-p", "ab", "--max-tokens", "5", "--ignore-eos", "--temperature", "0"});
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.as_object()) keys.push_back(key);
  EXPECT_EQ(keys, Words({"ids", "text", "reasoning", "finish_reason", "usage", "timings"}));
  EXPECT_EQ(json.Find("ids")->as_array().size(), 5u);
  EXPECT_TRUE(json.Find("text")->is_string());
  EXPECT_EQ(json.Find("finish_reason")->as_string(), "length");
  // <bos><user>ab<bot><think>\n
  EXPECT_EQ(Int(json, "usage", "prompt_tokens"), 7);
  EXPECT_EQ(Int(json, "usage", "completion_tokens"), 5);
  EXPECT_EQ(Int(json, "usage", "total_tokens"), 12);
  const Json& usage = *json.Find("usage");
  EXPECT_EQ(Int(usage, "prompt_tokens_details", "cached_tokens"), 0);
  EXPECT_TRUE(usage.Find("completion_tokens_details")->Find("reasoning_tokens")->is_int());
  for (const char* key :
       {"load_s", "prefill_s", "decode_s", "prefill_tokens_per_s", "decode_tokens_per_s"}) {
    ASSERT_NE(json.Find("timings")->Find(key), nullptr) << key;
    EXPECT_GE(json.Find("timings")->Find(key)->as_double(), 0) << key;
  }
}

TEST_F(RunTest, TheReplyIsReasoningUntilItsTagCloses) {
  // Bias decides the tokens: nothing but the wanted one has a chance.
  const Json thinking =
      RunJson({"-p", "a", "--temperature", "0", "--max-tokens", "3", "--logit-bias", "99:100"});
  EXPECT_EQ(thinking.Find("ids")->Dump(), "[99,99,99]");
  EXPECT_EQ(thinking.Find("reasoning")->as_string(), "aaa");
  EXPECT_EQ(thinking.Find("text")->as_string(), "");
  EXPECT_EQ(Int(*thinking.Find("usage"), "completion_tokens_details", "reasoning_tokens"), 3);

  const Json raw = RunJson(
      {"-p", "a", "--raw", "--temperature", "0", "--max-tokens", "3", "--logit-bias", "99:100"});
  EXPECT_TRUE(raw.Find("reasoning")->is_null());
  EXPECT_EQ(raw.Find("text")->as_string(), "aaa");
  EXPECT_EQ(Int(raw, "usage", "prompt_tokens"), 2);  // BOS and one byte
}

TEST_F(RunTest, AnAnswerThatEndsInsideItsReasoningSaysWhatToDo) {
  const Words greedy = {"-p", "a", "--temperature", "0", "--logit-bias", "99:100"};
  const Outcome cut = Run(Join(greedy, {"--max-tokens", "3"}));
  EXPECT_EQ(cut.exit_code, 0);
  EXPECT_EQ(cut.out, "\n");
  EXPECT_NE(
      cut.err.find("there is no answer: it was cut inside its reasoning after 3 tokens; raise "
                   "--max-tokens\n"),
      std::string::npos)
      << cut.err;
  // The prompt has six tokens.
  const Outcome full = Run(Join(greedy, {"--max-model-len", "9"}));
  EXPECT_NE(full.err.find("after 3 tokens; raise --max-model-len\n"), std::string::npos)
      << full.err;
  const Outcome stopped = Run(Join(greedy, {"--stop", "aa"}));
  EXPECT_NE(
      stopped.err.find("there is no answer: it was stopped inside its reasoning, where --stop "
                       "and --stop-token-ids count too\n"),
      std::string::npos)
      << stopped.err;
  const Outcome answered = Run(Join(greedy, {"--raw", "--max-tokens", "3"}));
  EXPECT_EQ(answered.err.find("there is no answer"), std::string::npos) << answered.err;
}

TEST_F(RunTest, StopStringsStopTokensAndEndOfAnswerAreNotPartOfIt) {
  const Words base = {"-p", "a", "--raw", "--temperature", "0", "--max-tokens", "9"};
  const Json text = RunJson(Join(base, {"--logit-bias", "99:100", "--stop", "aaa"}));
  EXPECT_EQ(text.Find("finish_reason")->as_string(), "stop");
  EXPECT_EQ(text.Find("ids")->Dump(), "[99,99,99]");
  EXPECT_EQ(text.Find("text")->as_string(), "");

  const Json token = RunJson(Join(base, {"--logit-bias", "99:100", "--stop-token-ids", "7,99"}));
  EXPECT_EQ(token.Find("finish_reason")->as_string(), "stop");
  EXPECT_EQ(token.Find("ids")->Dump(), "[]");

  const Json eos = RunJson(Join(base, {"--logit-bias", "1:100"}));
  EXPECT_EQ(eos.Find("finish_reason")->as_string(), "stop");
  EXPECT_EQ(eos.Find("ids")->Dump(), "[]");

  const Json ignored = RunJson(Join(base, {"--logit-bias", "1:100", "--ignore-eos"}));
  EXPECT_EQ(ignored.Find("finish_reason")->as_string(), "length");
  EXPECT_EQ(ignored.Find("ids")->as_array().size(), 9u);
  EXPECT_EQ(ignored.Find("text")->as_string(), "");  // EOS is special
}

TEST_F(RunTest, SameSeedSameTokensWhateverTheChunksAndThreads) {
  const Words base = {"-p", "hello there", "--max-tokens", "12", "--ignore-eos", "--seed", "7"};
  const Json first = RunJson(base);
  for (const Words& more :
       std::vector<Words>{{}, {"--max-num-batched-tokens", "3"}, {"--threads", "1"}}) {
    EXPECT_EQ(*RunJson(Join(base, more)).Find("ids"), *first.Find("ids"));
  }
  Words other = base;
  other.back() = "8";
  EXPECT_NE(*RunJson(other).Find("ids"), *first.Find("ids"));
}

TEST_F(RunTest, PlainOutputIsTheAnswerAndNotesGoToStandardError) {
  const Outcome outcome = Run(
      {"-p", "a", "--raw", "--temperature", "0", "--max-tokens", "3", "--logit-bias", "99:100"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "aaa\n");
  EXPECT_NE(outcome.err.find("generation_config.json: temperature 0.6, top_p 0.95"),
            std::string::npos);
  EXPECT_NE(outcome.err.find("[1/2] reading headers"), std::string::npos);
  EXPECT_NE(outcome.err.find("[2/2] reading weights"), std::string::npos);
  EXPECT_NE(outcome.err.find("3 tokens in "), std::string::npos) << outcome.err;
}

TEST_F(RunTest, ThePromptMayComeFromStandardInput) {
  const Outcome outcome = Run({"-p", "-", "--raw", "--max-tokens", "1", "--json"}, "ab\ncd\n");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(Int(ParseJson(outcome.out, "o").value(), "usage", "prompt_tokens"), 7);
  const Outcome bad = Run({"-p", "-", "--raw"}, "ab\n\xff");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_NE(bad.err.find("error: byte 0xff at offset 3 (line 2) is not UTF-8\n"
                         "  where: run: standard input\n"),
            std::string::npos)
      << bad.err;
}

TEST_F(RunTest, WithoutATokenizerIdsAreEnough) {
  model_ = WriteTinyModelWithoutTokenizer(folder_, "bare");
  const Words greedy = {"--prompt-ids", "0,5", "--temperature", "0",
                        "--max-tokens", "3",   "--logit-bias",  "99:100"};
  const Json json = RunJson(greedy);
  EXPECT_EQ(json.Find("ids")->Dump(), "[99,99,99]");
  EXPECT_TRUE(json.Find("text")->is_null());
  EXPECT_EQ(Run(greedy).out, "99,99,99\n");

  const Outcome text = Run({"-p", "a"});
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_EQ(text.err.substr(text.err.find("error:")),
            "error: a text prompt needs a tokenizer, and the folder has no tokenizer.json\n"
            "  where: run: " +
                model_ +
                "\n"
                "  fix: give token ids, or add the checkpoint's tokenizer files\n");
}

TEST(RunDemo, WithoutAModelTheBundledOneAnswers) {
  const Outcome outcome = RunFathom({"run", "-p", "What is MLA?", "--temperature", "0", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json json = ParseJson(outcome.out, "output").value();
  EXPECT_EQ(json.Find("finish_reason")->as_string(), "stop");
  EXPECT_TRUE(json.Find("reasoning")->is_string());
  EXPECT_NE(json.Find("text")->as_string().find("latent"), std::string::npos) << outcome.out;
}

TEST_F(RunTest, AReadOnlyFarmOfLinksIsAModelToo) {
  namespace fs = std::filesystem;
  fs::create_directory(folder_ / "snapshot");
  for (const auto& entry : fs::directory_iterator(model_)) {
    fs::create_symlink(entry.path(), fs::path(folder_ / "snapshot") / entry.path().filename());
  }
  const Json direct = RunJson({"-p", "a", "--temperature", "0", "--max-tokens", "4"});
  model_ = folder_ / "snapshot";
  fs::permissions(model_, fs::perms::owner_read | fs::perms::owner_exec);
  const Json linked = RunJson({"-p", "a", "--temperature", "0", "--max-tokens", "4"});
  EXPECT_EQ(*linked.Find("ids"), *direct.Find("ids"));
}

TEST_F(RunTest, WhatCannotWorkIsRefusedBeforeTheWeightsAreRead) {
  const std::string no_template = WriteTinyModel(folder_, "plain");
  folder_.Put("plain/tokenizer_config.json", R"({"bos_token":"<bos>","eos_token":"<eos>"})");
  const std::string model = model_;
  struct Row {
    std::string model;
    Words args;
    std::string error;
  };
  const std::string range =
      "  where: run\n  fix: give a value in this range; a flag takes the place of "
      "generation_config.json's\n";
  const std::string ids = "  where: run\n  fix: give ids from 0 to 279\n";
  const std::string templates =
      "error: the checkpoint has no chat template\n  where: run: " + no_template +
      "/tokenizer_config.json" +
      "\n  fix: name one with --chat-template FILE; texts are continued without one by `fathom run "
      "--raw -p TEXT` and POST /v1/completions\n";
  const std::vector<Row> rows = {
      {model,
       {"-p", "a", "--temperature", "-1"},
       "error: temperature is -1, expected 0 to 100\n" + range},
      {model, {"-p", "a", "--top-p", "1.5"}, "error: top_p is 1.5, expected 0 to 1\n" + range},
      {model,
       {"-p", "a", "--top-k", "-1"},
       "error: top_k is -1, expected 0 to 2147483647\n" + range},
      {model,
       {"-p", "a", "--logit-bias", "280:1"},
       "error: logit_bias names token 280, the vocabulary has 280 tokens\n  where: run\n"
       "  fix: name ids from 0 to 279\n"},
      {model,
       {"-p", "a", "--max-model-len", "999999999"},
       "error: max_model_len is 999999999, expected 1 to 2560, the positions of the model\n"
       "  where: run\n  fix: --max-model-len 2560 is the most\n"},
      {model,
       {"--prompt-ids", "280"},
       "error: token 280 of the prompt is outside the vocabulary of 280 ids\n" + ids},
      {model,
       {"-p", "a", "--stop-token-ids", "7,280"},
       "error: --stop-token-ids: 280 is outside the vocabulary of 280 ids\n" + ids},
      {model,
       {"-p", "abcdefgh", "--max-model-len", "9"},
       "error: the prompt has 13 tokens and leaves no room for an answer in the 9 that fit\n"
       "  where: run\n  fix: shorten it, or raise --max-model-len\n"},
      {no_template, {"-p", "a"}, templates},
      {no_template, {}, templates},
  };
  for (const Row& row : rows) {
    model_ = row.model;
    const Outcome outcome = Run(row.args);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(ErrorIn(outcome), row.error);
    EXPECT_EQ(outcome.err.find("reading weights"), std::string::npos) << outcome.err;
  }
}

TEST_F(RunTest, APromptThatFillsTheContextIsRefusedWithBothNumbers) {
  const Outcome outcome = Run({"-p", "abcdefgh", "--raw", "--max-model-len", "9"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(
      outcome.err.find(
          "error: the prompt has 9 tokens and leaves no room for an answer in the 9 that fit\n"
          "  where: run\n  fix: shorten it, or raise --max-model-len\n"),
      std::string::npos)
      << outcome.err;
}

TEST_F(RunTest, AtTheModelsOwnLengthNoFlagIsToBeRaised) {
  const std::string config = folder_.Get("tiny/config.json");
  const std::string key = "\"max_position_embeddings\": 2560";
  ASSERT_NE(config.find(key), std::string::npos);
  std::string shorter = config;
  shorter.replace(shorter.find(key), key.size(), "\"max_position_embeddings\": 9");
  folder_.Put("tiny/config.json", shorter);
  const Outcome refused = Run({"-p", "abcdefgh", "--raw"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(refused.err.ends_with(
      "  fix: shorten it: 9 tokens are the most that the model has positions for\n"))
      << refused.err;
  const Outcome cut = Run({"-p", "a", "--temperature", "0", "--logit-bias", "99:100"});
  EXPECT_NE(cut.err.find("after 3 tokens; the model has positions for no more\n"),
            std::string::npos)
      << cut.err;
}

TEST_F(RunTest, APromptWithoutAWordIsRefusedUnlessItIsContinuedRaw) {
  const std::string see = "`fathom run --help` shows the flags and examples\n";
  for (const char* blank : {"", " \n"}) {
    EXPECT_EQ(Run({"-p", blank}).err,
              "error: --prompt is empty\n  where: run\n"
              "  fix: give a text, or leave -p out for a chat; " +
                  see);
    const Outcome piped = Run({"-p", "-"}, blank);
    EXPECT_EQ(piped.exit_code, 2);
    EXPECT_EQ(piped.err,
              "error: the prompt is empty\n  where: run: standard input\n"
              "  fix: send a text there\n");
  }
  const Json raw = RunJson({"-p", "", "--raw", "--max-tokens", "1"});
  EXPECT_EQ(Int(raw, "usage", "prompt_tokens"), 1);  // BOS
}

TEST_F(RunTest, MoreTokensThanTheContextHoldsAreCutAndItSaysSo) {
  const Outcome outcome = Run({"-p", "abc", "--raw", "--max-model-len", "9", "--max-tokens", "50",
                               "--ignore-eos", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(ParseJson(outcome.out, "o").value().Find("ids")->as_array().size(), 5u);
  EXPECT_NE(outcome.err.find("--max-tokens 50 is cut to 5: the prompt has 4 of 9 tokens\n"),
            std::string::npos)
      << outcome.err;
}

TEST_F(RunTest, TheLengthThatTheCheckpointRecommendsIsTheDefault) {
  folder_.Put("tiny/generation_config.json", R"({"temperature": 0, "max_new_tokens": 3})");
  const Words base = {"-p", "a", "--raw", "--ignore-eos", "--json"};
  const Outcome plain = Run(base);
  EXPECT_EQ(ParseJson(plain.out, "o").value().Find("ids")->as_array().size(), 3u) << plain.err;
  EXPECT_NE(plain.err.find("generation_config.json: temperature 0, max_new_tokens 3 (flags "
                           "override)\n"),
            std::string::npos)
      << plain.err;
  const Outcome given = Run(Join(base, {"--max-tokens", "5"}));
  EXPECT_EQ(ParseJson(given.out, "o").value().Find("ids")->as_array().size(), 5u) << given.err;
  const Outcome cut = Run(Join(base, {"--max-model-len", "4"}));  // two of them are the prompt
  EXPECT_EQ(ParseJson(cut.out, "o").value().Find("ids")->as_array().size(), 2u) << cut.err;
}

TEST_F(RunTest, ARecommendationOutOfRangeNamesFileAndPath) {
  folder_.Put("tiny/generation_config.json", R"({"temperature": 0.6, "top_p": 7})");
  const Outcome outcome = Run({"-p", "a", "--top-p", "0.5"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("error: expected a number from 0 to 1, found integer 7\n"
                             "  where: run: " +
                             model_ + "/generation_config.json: /top_p\n"),
            std::string::npos)
      << outcome.err;
}

TEST_F(RunTest, AnUnknownInstructionSetIsRefused) {
  const Outcome outcome = RunFathom({"run", model_, "-p", "a"}, "", {{"FATHOM_ISA", "abacus"}});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find(
                "error: unknown instruction set \"abacus\"\n  where: run: FATHOM_ISA\n"
                "  fix: use portable, avx2 or avx512, or leave it empty for the best available\n"),
            std::string::npos)
      << outcome.err;
}

TEST_F(RunTest, CtrlCEndsOnePromptWith130AndKeepsWhatThereIs) {
  Child child({"run", model_, "-p", "a", "--raw", "--ignore-eos", "--temperature", "0",
               "--logit-bias", "99:100"},
              Child::Streams::kPipes);
  ASSERT_TRUE(child.ReadUntil("aaa"));
  child.Signal(SIGINT);
  const Outcome outcome = child.Finish();
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_TRUE(outcome.out.ends_with("a\n"));
  EXPECT_NE(outcome.err.find("cancelled\n"), std::string::npos) << outcome.err;
}

TEST_F(RunTest, ATerminationIsAnsweredAsCtrlCIs) {
  for (const auto& [signal, code] : {std::pair(SIGTERM, 143), {SIGHUP, 129}}) {
    Child child({"run", model_, "-p", "a", "--raw", "--ignore-eos", "--temperature", "0",
                 "--logit-bias", "99:100"},
                Child::Streams::kPipes);
    ASSERT_TRUE(child.ReadUntil("aaa"));
    child.Signal(signal);
    const Outcome outcome = child.Finish();
    EXPECT_EQ(outcome.exit_code, code) << outcome.err;
    EXPECT_TRUE(outcome.out.ends_with("a\n"));
    EXPECT_NE(outcome.err.find("cancelled\n"), std::string::npos) << outcome.err;
  }
}

TEST_F(RunTest, CtrlCWithJsonStillPrintsTheObject) {
  // A prompt of several steps says when it begins to be read; from there on Ctrl-C is noticed.
  Child child({"run", model_, "-p", "abc", "--raw", "--ignore-eos", "--json",
               "--max-num-batched-tokens", "1"},
              Child::Streams::kPipes);
  ASSERT_TRUE(child.ReadErrUntil("reading the prompt"));
  child.Signal(SIGINT);
  const Outcome outcome = child.Finish();
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  const Json json = ParseJson(outcome.out, "output").value();
  EXPECT_EQ(json.Find("finish_reason")->as_string(), "cancelled");
}

TEST_F(RunTest, AReaderThatGoesAwayEndsTheProgramQuietly) {
  Child child({"run", model_, "-p", "a", "--raw", "--ignore-eos"}, Child::Streams::kPipes);
  ASSERT_TRUE(child.ReadErrUntil("reading weights"));
  child.CloseOutput();
  const Outcome outcome = child.Finish();
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.err.find("error"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace fathom
