#include <gtest/gtest.h>
#include <signal.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "io/file_system.h"
#include "tensor/npy_testing.h"
#include "tests/cli/child_process.h"
#include "tests/cli/tiny_model.h"
#include "text/tiny_tokenizer_testing.h"

namespace fathom {
namespace {

using Words = std::vector<std::string>;

class ScoreTest : public testing::Test {
 protected:
  Outcome Score(const std::string& lines, const Words& more = {}) {
    Words args = {"score",    model_,
                  "--input",  folder_.Put("in.jsonl", lines),
                  "--output", folder_ / "out.jsonl",
                  "--dtype",  "float32"};
    args.insert(args.end(), more.begin(), more.end());
    return RunFathom(args);
  }
  // The lines of the output file.
  std::vector<Json> Lines() {
    std::vector<Json> lines;
    const std::string text = folder_.Get("out.jsonl");
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      EXPECT_NE(end, std::string::npos) << "the last line has no end";
      lines.push_back(ParseJson(text.substr(at, end - at), "out.jsonl").value());
      at = end + 1;
    }
    return lines;
  }

  ScratchFolder folder_;
  std::string model_ = WriteTinyModel(folder_, "tiny");
};

TEST_F(ScoreTest, LinesComeOutInOrderInTheDocumentedForm) {
  const Outcome outcome = Score(
      "{\"id\":\"long\",\"ids\":[0,5,9,200,17,99,99,3]}\n\n"
      "{\"id\":\"text\",\"text\":\"ab<think>\"}\n"
      "{\"id\":\"chat\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n"
      "{\"id\":\"one\",\"ids\":[7]}",
      {"--top", "3", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::vector<Json> lines = Lines();
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].Find("id")->as_string(), "long");
  EXPECT_EQ(lines[1].Find("ids")->Dump(), Format("[0,99,100,{}]", kTinyThink));
  EXPECT_EQ(lines[2].Find("ids")->Dump(), Format("[0,{},99]", kTinyUser));
  double nll_of_all = 0;
  for (const Json& line : lines) {
    const size_t predicted = line.Find("ids")->as_array().size() - 1;
    const Json::Array& logprobs = line.Find("logprobs")->as_array();
    ASSERT_EQ(logprobs.size(), predicted);
    ASSERT_EQ(line.Find("top")->as_array().size(), predicted);
    double nll = 0;
    for (size_t i = 0; i < predicted; ++i) {
      nll -= logprobs[i].as_double();
      const Json::Array& top = line.Find("top")->as_array()[i].as_array();
      ASSERT_EQ(top.size(), 3u);
      EXPECT_GE(top[0].as_array()[1].as_double(), top[1].as_array()[1].as_double());
      EXPECT_GE(top[0].as_array()[1].as_double(), logprobs[i].as_double());
    }
    EXPECT_DOUBLE_EQ(line.Find("nll")->as_double(), nll);
    nll_of_all += nll;
  }
  EXPECT_DOUBLE_EQ(lines[0].Find("perplexity")->as_double(),
                   std::exp(lines[0].Find("nll")->as_double() / 7));
  EXPECT_EQ(lines[3].Dump(),
            R"({"id":"one","ids":[7],"logprobs":[],"top":[],"nll":0.0,"perplexity":null})");
  const Json report = ParseJson(outcome.out, "output").value();
  EXPECT_EQ(report.Find("lines")->as_int(), 4);
  EXPECT_EQ(report.Find("tokens")->as_int(), 8 + 4 + 3 + 1);
  EXPECT_NEAR(report.Find("nll")->as_double(), nll_of_all,
              1e3 * nll_of_all * std::numeric_limits<double>::epsilon());
}

TEST_F(ScoreTest, ManyLinesAtOnceScoreAsEachAlone) {
  std::string lines;
  for (int i = 0; i < 12; ++i) {
    Json ids = Json::MakeArray();
    for (int k = 0; k < 1 + 5 * i; ++k) ids.Append(Json((7 * i + 13 * k) % 270));
    lines += Json::MakeObject({{"id", Format("l{}", i)}, {"ids", ids}}).Dump() + "\n";
  }
  ASSERT_EQ(Score(lines).exit_code, 0);
  const std::string together = folder_.Get("out.jsonl");
  ASSERT_EQ(Score(lines, {"--max-num-batched-tokens", "7", "--threads", "1"}).exit_code, 0);
  EXPECT_EQ(folder_.Get("out.jsonl"), together);
}

TEST_F(ScoreTest, ControlTokensInTextStayTextWhenToldTo) {
  ASSERT_EQ(Score("{\"id\":\"a\",\"text\":\"<think>\"}\n", {"--no-parse-special"}).exit_code, 0);
  EXPECT_EQ(Lines()[0].Find("ids")->as_array().size(), 8u);  // BOS and seven bytes
}

TEST_F(ScoreTest, FullLogitsAgreeWithTheLogProbabilities) {
  const Outcome outcome =
      Score("{\"id\":\"a.b-1\",\"ids\":[0,5,9]}\n{\"id\":\"one\",\"ids\":[7]}\n",
            {"--full-logits", folder_ / "new/logits", "--mtp"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto files = MakePosixFileSystem();
  const NpyArray logits = ReadNpy(folder_ / "new/logits/a.b-1.npy");
  EXPECT_EQ(logits.shape, std::vector<int64_t>({3, kTinyVocab}));
  const NpyArray mtp = ReadNpy(folder_ / "new/logits/a.b-1.mtp.npy");
  EXPECT_EQ(mtp.shape, std::vector<int64_t>({2, kTinyVocab}));
  const NpyArray one = ReadNpy(folder_ / "new/logits/one.mtp.npy");
  EXPECT_EQ(one.shape, std::vector<int64_t>({0, kTinyVocab}));
  const std::vector<float> values = logits.As<float>();
  double sum = 0;
  for (int64_t j = 0; j < kTinyVocab; ++j) {
    sum += std::exp(static_cast<double>(values[static_cast<size_t>(j)]));
  }
  // Both are float64 sums of the same 280 exponentials, one of them scaled.
  EXPECT_NEAR(Lines()[0].Find("logprobs")->as_array()[0].as_double(),
              static_cast<double>(values[5]) - std::log(sum), 1e-12);
}

struct BadLine {
  std::string lines;
  std::string what;
  std::string place = ": line 1";  // after the file's name
  std::string fix = "correct it there";
};

TEST_F(ScoreTest, BadLinesAreNamedAndNothingIsWritten) {
  const std::string no_name =
      "expected a name of 1 to 200 letters, digits, '.', '_' and '-', found string ";
  const std::string one_of = "expected exactly one of \"ids\", \"text\" and \"messages\", found ";
  const std::string say_once = "say once what is to be scored";
  const std::vector<BadLine> rows = {
      {"{",
       "not valid JSON at line 1, column 2: syntax error while parsing object key - unexpected end "
       "of input; expected string literal"},
      {"[]", "expected an object, found array []"},
      {R"({"ids":[1]})", "key \"id\" is missing"},
      {R"({"id":7,"ids":[1]})", "expected a string, found integer 7", ": line 1: /id"},
      {R"({"id":"","ids":[1]})", no_name + "\"\"", ": line 1: /id"},
      {R"({"id":"..","ids":[1]})", no_name + "\"..\"", ": line 1: /id"},
      {R"({"id":".","ids":[1]})", no_name + "\".\"", ": line 1: /id"},
      {R"({"id":"a/b","ids":[1]})", no_name + "\"a/b\"", ": line 1: /id"},
      {R"({"id":"é","ids":[1]})", no_name + "\"é\"", ": line 1: /id"},
      {"{\"id\":\"a\",\"ids\":[1]}\n{\"id\":\"a\",\"ids\":[2]}", "id 'a' stands in line 1 already",
       ": line 2", "each line needs an id of its own"},
      {R"({"id":"a"})", one_of + "0", ": line 1", say_once},
      {R"({"id":"a","ids":[1],"text":"b"})", one_of + "2", ": line 1", say_once},
      {R"({"id":"a","ids":[1],"max":2})", "unknown member 'max'", ": line 1",
       "known: id, ids, text, messages, tools"},
      {R"({"id":"a","text":"b","tools":[]})", "\"tools\" needs \"messages\""},
      {R"({"id":"a","ids":[]})", "the line has 0 ids, expected 1 to 2560", ": line 1",
       "leave the line out"},
      {R"({"id":"a","ids":[280]})", "expected a token id from 0 to 279, found integer 280",
       ": line 1: /ids/0"},
      {R"({"id":"a","ids":[0,-1]})", "expected a token id from 0 to 279, found integer -1",
       ": line 1: /ids/1"},
      {R"({"id":"a","ids":[1.5]})", "expected a token id from 0 to 279, found number 1.5",
       ": line 1: /ids/0"},
      {R"({"id":"a","ids":"1"})", "expected a list of token ids, found string \"1\"",
       ": line 1: /ids"},
      {R"({"id":"a","text":1})", "expected a string, found integer 1", ": line 1: /text"},
      {R"({"id":"a","messages":[{"role":"bot","content":"b"}]})",
       "expected one of system, developer, user, assistant, tool, found string \"bot\"",
       ": line 1: /messages/0/role"},
      {R"({"id":"a","messages":[{}]})", "key \"role\" is missing", ": line 1: /messages/0"},
      {"", "there is no line to score", "",
       "give lines such as {\"id\": \"a\", \"text\": \"Hello\"}"},
  };
  for (const BadLine& row : rows) {
    const Outcome outcome = Score(row.lines);
    EXPECT_EQ(outcome.exit_code, 2) << row.lines << outcome.err;
    EXPECT_EQ(ErrorIn(outcome), "error: " + row.what +
                                    "\n  where: score: " + (folder_ / "in.jsonl") + row.place +
                                    "\n  fix: " + row.fix + "\n");
    EXPECT_EQ(outcome.err.find("reading weights"), std::string::npos) << outcome.err;
    EXPECT_FALSE(folder_.Has("out.jsonl")) << row.lines;
  }
}

TEST_F(ScoreTest, TheFirstOfSeveralBadLinesIsNamedWithTheirNumber) {
  const Outcome outcome = Score(
      "{\"id\":\"a\",\"ids\":[1]}\n{\"id\":\"b\",\"ids\":[999]}\n{\"id\":\"c\",\"ids\":[]}\n");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("found integer 999 (the first of 2 bad lines)"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("line 2"), std::string::npos) << outcome.err;
}

TEST_F(ScoreTest, WhatTheModelCannotDoIsRefused) {
  const std::string line = "{\"id\":\"a\",\"text\":\"b\"}\n";
  model_ = WriteTinyModelWithoutTokenizer(folder_, "bare");
  const Outcome text = Score(line);
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_NE(text.err.find("\"text\" needs a tokenizer"), std::string::npos) << text.err;

  std::string config = folder_.Get("bare/config.json");
  const std::string key = "\"num_nextn_predict_layers\": 1";
  config.replace(config.find(key), key.size(), "\"num_nextn_predict_layers\": 0");
  folder_.Put("bare/config.json", config);
  const Outcome mtp =
      Score("{\"id\":\"a\",\"ids\":[1]}\n", {"--full-logits", folder_ / "l", "--mtp"});
  EXPECT_EQ(mtp.exit_code, 2);
  EXPECT_NE(mtp.err.find("--mtp: the model has no MTP layer"), std::string::npos) << mtp.err;
}

TEST_F(ScoreTest, OutputsThatCannotBeWrittenAreFoundBeforeTheWeightsAreRead) {
  const std::string input = folder_.Put("in.jsonl", "{\"id\":\"a\",\"ids\":[1]}\n");
  folder_.Put("file", "");
  const std::vector<std::pair<Words, std::string>> rows = {
      {{"--output", folder_ / "none/out.jsonl"}, folder_ / "none/out.jsonl"},
      {{"--output", input}, "--output is the input file itself"},
      {{"--output", folder_.path()}, "a folder, pipe or device has this name"},
      {{"--output", "/dev/null"}, "a folder, pipe or device has this name"},
      {{"--output", folder_ / "out.jsonl", "--full-logits", folder_ / "file"}, folder_ / "file"},
      {{"--output", model_ + "/config.json"},
       "--output would be written among the files of the model"},
      {{"--output", folder_ / "out.jsonl", "--full-logits", model_},
       "--full-logits would be written among the files of the model"},
  };
  for (const auto& [flags, place] : rows) {
    Words args = {"score", model_, "--input", input};
    args.insert(args.end(), flags.begin(), flags.end());
    const Outcome outcome = RunFathom(args);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(place), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("reading weights"), std::string::npos) << outcome.err;
    EXPECT_FALSE(folder_.Has("out.jsonl"));
    EXPECT_FALSE(folder_.Has("out.jsonl.fathom-partial"));
  }
}

// Root may write everywhere; a file system that is read-only stops root too.
TEST_F(ScoreTest, AFolderThatTakesNoFilesIsNamed) {
  const std::string input = folder_.Put("in.jsonl", "{\"id\":\"a\",\"ids\":[1]}\n");
  const Outcome outcome = RunFathom({"score", model_, "--input", input, "--output", "/sys/out"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("error: cannot create the file: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("  where: score: /sys/out\n  fix: "), std::string::npos)
      << outcome.err;
}

TEST_F(ScoreTest, AFolderThatIsNotThereIsToBeMadeFirst) {
  const std::string input = folder_.Put("in.jsonl", "{\"id\":\"a\",\"ids\":[1]}\n");
  const std::string output = folder_ / "none/out.jsonl";
  const Outcome outcome = RunFathom({"score", model_, "--input", input, "--output", output});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("error: cannot create the file: No such file or directory\n"
                             "  where: score: " +
                             output + "\n  fix: make the folder " + (folder_ / "none") +
                             " first, or name another\n"),
            std::string::npos)
      << outcome.err;
}

TEST_F(ScoreTest, TwoOutputsOfOneNameAreRefusedBeforeAnythingIsRun) {
  struct Row {
    std::string lines;
    Words flags;
    std::string error;
  };
  const std::string logits = folder_ / "logits";
  const std::string other_name = folder_ / "tiny/../logits/a.npy";  // leads there all the same
  const std::string two = "{\"id\":\"a\",\"ids\":[1]}\n{\"id\":\"a.mtp\",\"ids\":[2]}\n";
  const std::vector<Row> rows = {
      {two,
       {"--mtp"},
       "error: the MTP logits of id 'a' and the logits of id 'a.mtp' would be written to the same "
       "file\n  where: score: " +
           logits + "/a.mtp.npy\n  fix: rename one of the two ids\n"},
      {two,
       {"--output", other_name},
       "error: --output is the file that the logits of id 'a' would be written to\n"
       "  where: score: " +
           other_name + "\n  fix: name another file, or another folder for --full-logits\n"},
  };
  for (const Row& row : rows) {
    Words args = {"score",         model_, "--input", folder_.Put("in.jsonl", row.lines),
                  "--full-logits", logits};
    args.insert(args.end(), row.flags.begin(), row.flags.end());
    if (row.flags[0] != "--output") args.insert(args.end(), {"--output", folder_ / "out.jsonl"});
    const Outcome outcome = RunFathom(args);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(row.error), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("reading weights"), std::string::npos) << outcome.err;
    EXPECT_FALSE(folder_.Has("logits"));
    EXPECT_FALSE(folder_.Has("out.jsonl"));
  }
  EXPECT_EQ(Score(two, {"--full-logits", logits}).exit_code, 0) << "without --mtp they differ";
}

TEST_F(ScoreTest, AnInputThatWouldBeReplacedIsRefused) {
  const std::string input = folder_.Put("logits/a.npy", "{\"id\":\"a\",\"ids\":[1]}\n");
  const Outcome outcome = RunFathom({"score", model_, "--input", input, "--output",
                                     folder_ / "out.jsonl", "--full-logits", folder_ / "logits"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find(
                "error: --input is the file that the logits of id 'a' would be written to\n"),
            std::string::npos)
      << outcome.err;
}

TEST_F(ScoreTest, InputAndOutputMayBePipes) {
  const std::string line = "{\"id\":\"a\",\"ids\":[0,5,9]}\n";
  ASSERT_EQ(Score(line).exit_code, 0);
  const Words common = {"--dtype", "float32", "--output", "-"};
  for (const char* input : {"-", "/dev/stdin"}) {
    Words args = {"score", model_, "--input", input, "--json"};
    args.insert(args.end(), common.begin(), common.end());
    const Outcome outcome = RunFathom(args, line);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, folder_.Get("out.jsonl"));
    EXPECT_NE(outcome.err.find("{\"lines\":1,\"tokens\":3,"), std::string::npos) << outcome.err;
  }
  const Outcome bad = RunFathom({"score", model_, "--input", "-", "--output", "-"}, "{\"id\":1}\n");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_EQ(bad.out, "");
  EXPECT_NE(bad.err.find("  where: score: standard input: line 1: /id\n  fix: correct it there\n"),
            std::string::npos)
      << bad.err;
}

TEST_F(ScoreTest, ALineBeyondTheModelsPositionsIsNotToldToRaiseAFlag) {
  Json ids = Json::MakeArray();
  for (int k = 0; k < 2561; ++k) ids.Append(Json(1));
  const std::string line = Json::MakeObject({{"id", "a"}, {"ids", ids}}).Dump() + "\n";
  const std::string fixes[] = {
      "  fix: shorten it: 2560 tokens are the most that the model has positions for\n",
      "  fix: shorten it, or raise --max-model-len\n"};
  EXPECT_TRUE(Score(line).err.ends_with(fixes[0]));
  EXPECT_TRUE(Score(line, {"--max-model-len", "100"}).err.ends_with(fixes[1]));
}

TEST_F(ScoreTest, AnInputWithoutAnEndIsRefused) {
  const Outcome outcome =
      RunFathom({"score", model_, "--input", "/dev/zero", "--output", folder_ / "out.jsonl"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(ErrorIn(outcome),
            "error: the input goes on, at most 134,217,728 bytes are allowed here\n"
            "  where: score: /dev/zero\n"
            "  fix: name the right file, or split it into smaller ones\n");
}

TEST_F(ScoreTest, BytesThatAreNotUtf8AreRefusedWithTheirPlace) {
  const Outcome outcome = Score("{\"id\":\"a\",\"ids\":[1]}\n{\"id\":\"b\",\"text\":\"\xff\"}\n");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("error: byte 0xff at offset 39 (line 2) is not UTF-8\n"
                             "  where: score: " +
                             (folder_ / "in.jsonl") + "\n"),
            std::string::npos)
      << outcome.err;
}

TEST_F(ScoreTest, WithoutAPredictionThereIsNoPerplexity) {
  const std::string line = "{\"id\":\"a\",\"ids\":[1]}\n";
  const Outcome text = Score(line);
  EXPECT_EQ(text.out,
            "1 lines, 1 tokens, nll 0.0000, perplexity none (no line has a second id); "
            "scores in " +
                (folder_ / "out.jsonl") + "\n");
  const Outcome json = Score(line, {"--json"});
  EXPECT_TRUE(ParseJson(json.out, "o").value().Find("perplexity")->is_null()) << json.out;
}

TEST_F(ScoreTest, MoreLikelyIdsThanThereAreAreRefused) {
  const std::string line = "{\"id\":\"a\",\"ids\":[1,2]}\n";
  EXPECT_EQ(Score(line, {"--top", "280"}).exit_code, 0);
  const Outcome outcome = Score(line, {"--top", "281"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("error: --top is 281, the vocabulary has 280 ids\n  where: score: " +
                             model_ + "\n  fix: ask for 280 or fewer\n"),
            std::string::npos)
      << outcome.err;
}

// Many lines, so that a signal comes between them.
std::string LongInput() {
  std::string lines;
  for (int i = 0; i < 400; ++i) {
    Json ids = Json::MakeArray();
    for (int k = 0; k < 500; ++k) ids.Append(Json(k % 270));
    lines += Json::MakeObject({{"id", Format("l{}", i)}, {"ids", ids}}).Dump() + "\n";
  }
  return lines;
}

TEST_F(ScoreTest, SignalsLeaveNoOutputAndSetTheExitCode) {
  const std::string input = folder_.Put("in.jsonl", LongInput());
  for (const auto& [signal, code] : {std::pair(SIGINT, 130), {SIGTERM, 143}, {SIGHUP, 129}}) {
    Child child({"score", model_, "--input", input, "--output", folder_ / "out.jsonl"},
                Child::Streams::kPipes);
    ASSERT_TRUE(child.ReadErrUntil("scoring 400 lines"));
    child.Signal(signal);
    if (signal == SIGHUP) child.Signal(signal);  // from the shell and from the terminal
    const Outcome outcome = child.Finish();
    EXPECT_EQ(outcome.exit_code, code);
    EXPECT_NE(
        outcome.err.find(" of 400 lines\n  where: score\n  fix: run the same command again; " +
                         (folder_ / "out.jsonl") + " was not written\n"),
        std::string::npos)
        << outcome.err;
    EXPECT_FALSE(folder_.Has("out.jsonl"));
    EXPECT_FALSE(folder_.Has("out.jsonl.fathom-partial"));
  }
}

TEST_F(ScoreTest, CtrlCTwiceInARowLeavesNoOutputEither) {
  const std::string input = folder_.Put("in.jsonl", LongInput());
  Child child({"score", model_, "--input", input, "--output", folder_ / "out.jsonl"},
              Child::Streams::kPipes);
  ASSERT_TRUE(child.ReadErrUntil("scoring 400 lines"));
  child.Signal(SIGINT);
  child.Signal(SIGINT);
  EXPECT_EQ(child.Finish().exit_code, 130);
  EXPECT_FALSE(folder_.Has("out.jsonl"));
  EXPECT_FALSE(folder_.Has("out.jsonl.fathom-partial"));
}

TEST_F(ScoreTest, WhatAKilledRunLeftBehindIsReplaced) {
  const std::string input = folder_.Put("in.jsonl", LongInput());
  Child child({"score", model_, "--input", input, "--output", folder_ / "out.jsonl"},
              Child::Streams::kPipes);
  ASSERT_TRUE(child.ReadErrUntil("scoring 400 lines"));
  while (!folder_.Has("out.jsonl.fathom-partial")) {
  }
  child.Signal(SIGKILL);
  EXPECT_EQ(child.Finish().exit_code, -SIGKILL);
  EXPECT_TRUE(folder_.Has("out.jsonl.fathom-partial"));
  EXPECT_EQ(Score("{\"id\":\"a\",\"ids\":[1,2]}\n").exit_code, 0);
  EXPECT_EQ(Lines().size(), 1u);
  EXPECT_FALSE(folder_.Has("out.jsonl.fathom-partial"));
}

// /dev/full takes nothing: what is written there fails as on a full disk.
TEST_F(ScoreTest, AFullDiskLeavesCompleteLogitsAndSaysSo) {
  Json ids = Json::MakeArray();
  for (int k = 0; k < 2400; ++k) ids.Append(Json(k % 270));
  const std::string lines = Json::MakeObject({{"id", "a"}, {"ids", ids}}).Dump() + "\n" +
                            Json::MakeObject({{"id", "b"}, {"ids", ids}}).Dump() + "\n";
  std::filesystem::create_directory(folder_ / "logits");
  std::filesystem::create_symlink("/dev/full", folder_ / "logits/b.npy.fathom-partial");
  const Outcome outcome = Score(lines, {"--full-logits", folder_ / "logits"});
  EXPECT_EQ(outcome.exit_code, 4) << outcome.err;
  EXPECT_NE(
      outcome.err.find("No space left on device\n  where: score: " + (folder_ / "logits/b.npy") +
                       "\n  fix: make room on this disk, or choose another folder; " +
                       (folder_ / "out.jsonl") +
                       " was not written; complete files of logits that stay in " +
                       (folder_ / "logits") + ": 1\n"),
      std::string::npos)
      << outcome.err;
  EXPECT_TRUE(folder_.Has("logits/a.npy"));
  EXPECT_FALSE(folder_.Has("logits/b.npy"));
  EXPECT_FALSE(folder_.Has("out.jsonl"));
  EXPECT_FALSE(folder_.Has("out.jsonl.fathom-partial"));
}

}  // namespace
}  // namespace fathom
