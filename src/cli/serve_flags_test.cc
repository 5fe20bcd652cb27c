#include "cli/serve_flags.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command_line.h"
#include "cli/console.h"

namespace fathom {
namespace {

using Words = std::vector<std::string>;

Status CheckFlags(const Words& args) {
  ServeFlags flags;
  CommandLine line("serve", "", "");
  flags.Declare(line);
  Console console(-1, -1);
  FATHOM_TRY([[maybe_unused]] const bool go_on, line.Parse(args, console));
  return flags.Check(line);
}

// A size that is given twice would hold once, and nobody could see which.
TEST(ServeFlags, SizesOfMindieAreGivenInItsWords) {
  const struct {
    Words args;
    std::string what;
    std::string fix;
  } rows[] = {
      {{"--schedule", "maxBatchSize=8"}, "", ""},
      {{"--max-num-seqs", "8"}, "", ""},
      {{"--schedule", "maxBatchSize=8", "--max-num-seqs", "8"},
       "--max-num-seqs does not go with MindIE's parameters",
       "say it in their words: --schedule maxBatchSize=N, or maxBatchSize in --mindie-config"},
      {{"--mindie-config", "c.json", "--max-num-batched-tokens", "8"},
       "--max-num-batched-tokens does not go with MindIE's parameters",
       "say it in their words: --schedule maxPrefillTokens=N, or maxPrefillTokens in "
       "--mindie-config"},
      {{"--schedule-policy", "mindie", "--max-model-len", "8"},
       "--max-model-len does not go with MindIE's parameters",
       "say it in their words: --schedule maxSeqLen=N, or maxSeqLen in --mindie-config"},
      {{"--schedule-policy", "fcfs", "--max-model-len", "8"}, "", ""},
  };
  for (const auto& row : rows) {
    const Status status = CheckFlags(row.args);
    EXPECT_EQ(status.ok(), row.what.empty());
    if (status.ok()) continue;
    EXPECT_EQ(status.error().what, row.what);
    EXPECT_EQ(status.error().fix, row.fix + "; `fathom serve --help` shows the flags and examples");
  }
}

TEST(ServeFlags, NumbersOfTheServerHaveItsRanges) {
  const struct {
    Words args;
    std::string what;
  } rows[] = {
      {{"--port", "65535", "--max-connections", "1", "--max-body-bytes", "1"}, ""},
      {{"--port", "65536"}, "--port must be 0 to 65535, found 65536"},
      {{"--max-connections", "0"}, "--max-connections must be 1 to 1000000, found 0"},
      {{"--max-body-bytes", "0"}, "--max-body-bytes must be 1 to 4294967296, found 0"},
      {{"--max-total-body-bytes", "0"},
       "--max-total-body-bytes must be 1 to 1099511627776, found 0"},
      {{"--max-total-body-bytes", "33554431"},
       "--max-total-body-bytes is 33554431, less than one body may have (--max-body-bytes "
       "33554432)"},
      {{"--max-total-body-bytes", "5000", "--max-body-bytes", "5000"}, ""},
      {{"--max-body-bytes", "1000000000"}, ""},
  };
  for (const auto& row : rows) {
    const Status status = CheckFlags(row.args);
    EXPECT_EQ(status.ok() ? "" : status.error().what, row.what);
  }
}

// An empty --api-key-file taken for none would leave the server open.
TEST(ServeFlags, AFileWithoutANameIsRefused) {
  for (const std::string flag : {"--api-key-file", "--ssl-certfile", "--ssl-keyfile",
                                 "--chat-template", "--mindie-config", "--explain-schedule"}) {
    const Status status = CheckFlags({flag, ""});
    ASSERT_FALSE(status.ok()) << flag;
    EXPECT_EQ(status.error().what, flag + " is empty");
  }
}

TEST(ServeFlags, ANameIsOneLine) {
  EXPECT_TRUE(CheckFlags({"--served-model-name", "Qwen2 \xe4\xb8\xad"}).ok());
  for (const char* name : {"a\nb", "a\tb", "a\x7f"}) {
    const Status status = CheckFlags({"--served-model-name", name});
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().what,
              "--served-model-name has a line break or another control character");
  }
}

TEST(ServeFlags, NoMemoryAtAllIsRefused) {
  const Status status = CheckFlags({"--memory-limit", "0"});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().what, "--memory-limit is '0'");
  EXPECT_TRUE(status.error().fix.starts_with("give bytes, 1 or more,")) << status.error().fix;
}

}  // namespace
}  // namespace fathom
