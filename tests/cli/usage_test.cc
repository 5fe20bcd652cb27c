// What a person sees who types something wrong, and what the program says about itself.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/child_process.h"
#include "tests/cli/tiny_model.h"

namespace fathom {
namespace {

using Words = std::vector<std::string>;

TEST(Usage, ProgramAndCommandsHaveHelpWithExamples) {
  for (const Words& args : std::vector<Words>{{"help"}, {"--help"}, {"-h"}}) {
    const Outcome outcome = RunFathom(args);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.out.find("Exit codes: 0 done"), std::string::npos);
    EXPECT_NE(outcome.out.find("Examples:"), std::string::npos);
  }
  for (const char* command : {"run", "inspect", "tokenize", "score"}) {
    const Outcome outcome = RunFathom({command, "--help"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find("Examples:\n  fathom " + std::string(command)), std::string::npos)
        << outcome.out;
    EXPECT_EQ(RunFathom({"help", command}).out, outcome.out);
  }
}

TEST(Usage, VersionIsOneLine) {
  const Outcome outcome = RunFathom({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "fathom " FATHOM_VERSION "\n");
}

TEST(Usage, WithoutACommandTheHelpIsShownAsAnError) {
  const Outcome outcome = RunFathom({});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("Usage: fathom COMMAND"), std::string::npos);
}

struct Row {
  Words args;
  std::string error;  // the whole of standard error
};

std::string See(const std::string& command) {
  return "`fathom " + command + " --help` shows the flags and examples\n";
}

std::string NotUtf8(const std::string& where, int offset) {
  return "error: byte 0xff at offset " + std::to_string(offset) +
         " (line 1) is not UTF-8\n  where: " + where +
         "\n  fix: write the text as UTF-8; `iconv -f ENCODING -t UTF-8` converts a file\n";
}

TEST(Usage, EachMistakeIsNamedWithAWayOut) {
  const std::vector<Row> rows = {
      {{"rnu"},
       "error: unknown command 'rnu'\n  fix: did you mean `fathom run`? `fathom help` lists the "
       "commands\n"},
      {{"launch"}, "error: unknown command 'launch'\n  fix: `fathom help` lists the commands\n"},
      {{"help", "scor"},
       "error: unknown command 'scor'\n  fix: did you mean `fathom score`? `fathom help` lists the "
       "commands\n"},
      {{"--verbose"}, "error: unknown flag '--verbose'\n  fix: `fathom help` lists the commands\n"},
      {{"run", "--max-tokns", "3"},
       "error: unknown flag --max-tokns\n  where: run\n  fix: did you mean --max-tokens?; " +
           See("run")},
      {{"run", "--zzz=1"}, "error: unknown flag --zzz\n  where: run\n  fix: " + See("run")},
      {{"run", "a", "b"}, "error: one word too many: 'b'\n  where: run\n  fix: " + See("run")},
      {{"run", "--json"},
       "error: --json needs a prompt: -p or --prompt-ids\n  where: run\n  fix: " + See("run")},
      {{"run", "--raw"},
       "error: --raw needs a prompt: -p or --prompt-ids\n  where: run\n  fix: " + See("run")},
      {{"run", "-p", "a", "--prompt-ids", "1"},
       "error: --prompt and --prompt-ids exclude each other\n  where: run\n  fix: " + See("run")},
      {{"run", "--prompt-ids", ""},
       "error: --prompt-ids needs at least one id\n  where: run\n  fix: " + See("run")},
      {{"run", "--prompt-ids", "1,x"},
       "error: --prompt-ids: 'x' is not a token id\n  where: run\n"
       "  fix: give ids separated by commas, such as 0,17,42\n"},
      {{"run", "--raw", "-p", "a", "--system", "b"},
       "error: --system has no meaning without the chat template\n  where: run\n  fix: " +
           See("run")},
      {{"run", "-p", "a", "--max-tokens", "0"},
       "error: --max-tokens must be at least 1, found 0\n  where: run\n  fix: " + See("run")},
      {{"run", "-p", "a", "--seed", "-1"},
       "error: --seed must be at least 0, found -1\n  where: run\n  fix: " + See("run")},
      {{"run", "-p", "a", "--stop", ""},
       "error: --stop needs a text that is not empty\n  where: run\n  fix: " + See("run")},
      {{"run", "-p", "a", "--stop", "\xff"}, NotUtf8("run: --stop", 0)},
      {{"run", "-p", "a\xff"}, NotUtf8("run: --prompt", 1)},
      {{"run", "--system", "\u00e9\xff"}, NotUtf8("run: --system", 2)},
      {{"tokenize", "m", "--text", "ab\xff"}, NotUtf8("tokenize: --text", 2)},
      {{"run", ""},
       "error: MODEL is empty\n  where: run\n"
       "  fix: name a folder, or leave it out for the demo model; " +
           See("run")},
      {{"run", "--max-tokens"},
       "error: --max-tokens needs a value\n  where: run\n  fix: " + See("run")},
      {{"run", "--max-tokens", "many"},
       "error: --max-tokens: 'many' is not a whole number\n  where: run\n  fix: " + See("run")},
      {{"run", "--seed=abc"},
       "error: --seed: 'abc' is not a whole number\n  where: run\n  fix: " + See("run")},
      {{"run", "--temperature", "hot"},
       "error: --temperature: 'hot' is not a number\n  where: run\n  fix: " + See("run")},
      {{"run", "-p", "a", "--seed", "9223372036854775808"},
       "error: --seed: 9223372036854775808 is outside of -9223372036854775808 to "
       "9223372036854775807\n  where: run\n  fix: " +
           See("run")},
      {{"run", "-p", "a", "--top-k", "18446744073709551616"},
       "error: --top-k: 18446744073709551616 is outside of -9223372036854775808 to "
       "9223372036854775807\n  where: run\n  fix: " +
           See("run")},
      {{"score", "m", "--top", "1.5"},
       "error: --top: '1.5' is not a whole number\n  where: score\n  fix: " + See("score")},
      {{"run", "--seed", "1", "--seed", "2"},
       "error: --seed is given 2 times, expected once\n  where: run\n  fix: " + See("run")},
      {{"run", "--dtype", "float32", "--dtype", "bfloat16"},
       "error: --dtype is given 2 times, expected once\n  where: run\n  fix: " + See("run")},
      {{"run", "--dtype", "fp8"},
       "error: --dtype: 'fp8' is not one of auto|float32|bfloat16\n  where: run\n  fix: " +
           See("run")},
      {{"run", "-p", "a", "--logit-bias", "5"},
       "error: --logit-bias: '5' is not ID:BIAS\n  where: run\n  fix: such as 42:-100\n"},
      {{"run", "-p", "a", "--stop-token-ids", "5;6"},
       "error: --stop-token-ids: '5;6' is not a token id\n  where: run\n"
       "  fix: give ids separated by commas, such as 0,17,42\n"},
      {{"run", "--threads", "0"},
       "error: --threads must be 1 to 4096, found 0\n  where: run\n  fix: " + See("run")},
      {{"run", "--max-model-len", "1"},
       "error: --max-model-len must be at least 2, found 1\n  where: run\n  fix: " + See("run")},
      {{"run", "--max-num-batched-tokens", "0"},
       "error: --max-num-batched-tokens must be 1 to 65536, found 0\n  where: run\n  fix: " +
           See("run")},
      {{"run", "-p", "a", "--chat-template-kwargs", "[]"},
       "error: expected an object, found array []\n  where: run: --chat-template-kwargs\n"
       "  fix: give a JSON object, such as {\"thinking\": true}\n"},
      {{"run", "-p", "a", "--chat-template-kwargs", R"({"messages": []})"},
       "error: \"messages\" is not a variable to give: the template has its own\n"
       "  where: run: --chat-template-kwargs\n  fix: leave it out\n"},
      {{"run", "--prompt="},
       "error: --prompt is empty\n  where: run\n"
       "  fix: give a text, or leave -p out for a chat; " +
           See("run")},
      {{"run", "--seed="},
       "error: --seed: '' is not a whole number\n  where: run\n  fix: " + See("run")},
      {{"run", "--max-tokens=", "--seed"},
       "error: --seed needs a value\n  where: run\n  fix: " + See("run")},
      {{"inspect"}, "error: MODEL is missing\n  where: inspect\n  fix: " + See("inspect")},
      {{"tokenize", "--text", "a"},
       "error: MODEL is missing\n  where: tokenize\n  fix: " + See("tokenize")},
      {{"tokenize", "m"},
       "error: expected exactly one of --text, --file, --ids and --messages, found 0 of them\n"
       "  where: tokenize\n  fix: " +
           See("tokenize")},
      {{"tokenize", "m", "--text", "a", "--ids", "1"},
       "error: expected exactly one of --text, --file, --ids and --messages, found 2 of them\n"
       "  where: tokenize\n  fix: " +
           See("tokenize")},
      {{"tokenize", "m", "--text", "a", "--no-generation-prompt"},
       "error: --no-generation-prompt needs --messages\n  where: tokenize\n  fix: " +
           See("tokenize")},
      {{"tokenize", "m", "--ids", "1", "--no-parse-special"},
       "error: --no-parse-special has no meaning for --ids\n  where: tokenize\n  fix: " +
           See("tokenize")},
      {{"score"}, "error: MODEL is missing\n  where: score\n  fix: " + See("score")},
      {{"score", "m"}, "error: --input is missing\n  where: score\n  fix: " + See("score")},
      {{"score", "m", "--input", "i"},
       "error: --output is missing\n  where: score\n  fix: " + See("score")},
      {{"score", "m", "--input", "i", "--output", "o", "--top", "0"},
       "error: --top must be at least 1, found 0\n  where: score\n  fix: " + See("score")},
      {{"score", "m", "--input", "i", "--output", "o", "--mtp"},
       "error: --mtp needs --full-logits\n  where: score\n  fix: " + See("score")},
  };
  for (const Row& row : rows) {
    const Outcome outcome = RunFathom(row.args);
    EXPECT_EQ(outcome.exit_code, 2) << row.error;
    EXPECT_EQ(outcome.out, "") << row.error;
    EXPECT_EQ(outcome.err, row.error);
  }
}

TEST(Usage, AFolderThatIsNoModelIsNamedByEveryCommand) {
  const ScratchFolder folder;
  const std::string nowhere = folder / "nowhere";
  const std::string input = folder.Put("in.jsonl", "{\"id\":\"a\",\"ids\":[1]}\n");
  const std::vector<Words> rows = {
      {"run", nowhere, "-p", "a"},
      {"inspect", nowhere},
      {"tokenize", nowhere, "--text", "a"},
      {"score", nowhere, "--input", input, "--output", folder / "out.jsonl"},
  };
  for (const Words& args : rows) {
    const Outcome outcome = RunFathom(args);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find("where: " + args[0] + ": " + nowhere), std::string::npos)
        << outcome.err;
    EXPECT_FALSE(folder.Has("out.jsonl"));
  }
}

TEST(Usage, AFolderThatLacksAFileIsToldWhich) {
  const ScratchFolder folder;
  folder.Put("m/x", "");
  const std::string m = folder / "m";
  EXPECT_EQ(RunFathom({"inspect", m}).err,
            "error: there is no config.json in this folder\n  where: inspect: " + m +
                "\n  fix: name the folder that the checkpoint was downloaded to, or fetch "
                "config.json\n");
  EXPECT_EQ(RunFathom({"tokenize", m, "--text", "a"}).err,
            "error: there is no tokenizer.json in this folder\n  where: tokenize: " + m +
                "\n  fix: fetch the checkpoint's tokenizer.json and tokenizer_config.json into "
                "it\n");
  folder.Put("m/config.json", "{");
  const Outcome broken = RunFathom({"inspect", m});
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_NE(broken.err.find("error: not valid JSON at line 1, column 2"), std::string::npos);
  EXPECT_NE(broken.err.find("  where: inspect: " + m +
                            "/config.json\n"
                            "  fix: the file is damaged or was edited: fetch it again, or correct "
                            "it there\n"),
            std::string::npos)
      << broken.err;
}

TEST(Usage, WithoutAModelTheDemoModelIsLookedFor) {
  const Outcome outcome = RunFathom({"run", "-p", "a"}, "", {{"FATHOM_DEMO_MODEL", "/nowhere"}});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err,
            "error: the demo model is not there\n  where: run: /nowhere\n"
            "  fix: name a model folder, or set FATHOM_DEMO_MODEL to the demo model's\n");
}

TEST(Usage, AnEmptyVariableIsAnUnsetOne) {
  const Outcome outcome = RunFathom({"run", "-p", "a", "--max-tokens", "1", "--json"}, "",
                                    {{"FATHOM_DEMO_MODEL", ""}, {"FATHOM_ISA", ""}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST(Usage, HelpSaysThatStopsCountInsideTheReasoning) {
  const Outcome outcome = RunFathom({"run", "--help"});
  EXPECT_NE(outcome.out.find("be it in the reasoning"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace fathom
