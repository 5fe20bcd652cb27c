// What `fathom serve` says at its start of keys, names and limits.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/cli/child_process.h"
#include "tests/cli/tiny_model.h"

namespace fathom {
namespace {

using Words = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;

class ServeStart : public testing::Test {
 protected:
  // All that a server says until it is ready, and at its end.
  static std::string Said(const std::string& model, const Words& flags,
                          const Environment& environment = {}) {
    Words args = {"serve", model, "--port", "0", "--threads", "1"};
    args.insert(args.end(), flags.begin(), flags.end());
    Child server(args, Child::Streams::kPipes, environment);
    EXPECT_TRUE(server.ReadErrUntil("ready: "));
    server.Signal(SIGTERM);
    return server.Finish().err;
  }
  static bool Has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  ScratchFolder folder_;
  std::string model_ = WriteTinyModel(folder_, "m");
};

// As "${KEY}" of a script that has none: it is not taken for "no key wanted".
TEST_F(ServeStart, AnEmptyKeyIsRefused) {
  for (const std::string name : {"FATHOM_API_KEY", "VLLM_API_KEY"}) {
    const Outcome outcome = RunFathom({"serve", model_, "--port", "0"}, "", {{name, ""}});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(ErrorIn(outcome), "error: a key is empty\n  where: serve: the environment's " + name +
                                    "\n  fix: give a key, or leave it out\n");
  }
}

TEST_F(ServeStart, KeysAreCountedBySource) {
  const std::string file = folder_.Put("keys.txt", "first\n");
  std::filesystem::permissions(file, std::filesystem::perms{0644});
  const Words flags = {"--api-key-file", file};
  const std::string said = Said(model_, flags, {{"FATHOM_API_KEY", "a,b"}, {"VLLM_API_KEY", "c"}});
  EXPECT_TRUE(Has(said, "note: VLLM_API_KEY is not used, because FATHOM_API_KEY is set too\n"));
  EXPECT_TRUE(Has(said, "requests need one of 3 keys: 1 of " + file + ", 2 of FATHOM_API_KEY\n"))
      << said;
  EXPECT_TRUE(Has(said, "warning: every user of this machine may read the keys in " + file));
  std::filesystem::permissions(file, std::filesystem::perms{0600});
  const std::string quiet = Said(model_, flags, {{"VLLM_API_KEY", "c"}});
  EXPECT_TRUE(Has(quiet, "2 keys: 1 of " + file + ", 1 of VLLM_API_KEY\n")) << quiet;
  EXPECT_FALSE(Has(quiet, "warning:")) << quiet;
}

TEST_F(ServeStart, WhoIsOpenToOtherMachinesWithoutAKeyIsWarned) {
  const std::string warning =
      "warning: requests from other machines come in by 0.0.0.0 and need no key";
  EXPECT_TRUE(Has(Said(model_, {"--host", "0.0.0.0"}), warning));
  EXPECT_FALSE(Has(Said(model_, {"--host", "0.0.0.0", "--api-key", "a"}), warning));
  EXPECT_FALSE(Has(Said(model_, {}), "warning:"));
}

TEST_F(ServeStart, TheNameIsTheFoldersHoweverItIsWritten) {
  for (const char* rest : {"", "/", "/.", "/../m", "/./"}) {
    EXPECT_TRUE(Has(Said(model_ + rest, {}), " as 'm'\n")) << rest;
  }
}

// By hand: 3 layers of 64 + 12 values in float32 are 912 bytes a token; 1 MiB has 71 blocks of 16
// tokens, and half of them 560 tokens.
TEST_F(ServeStart, ALimitThatNobodyAskedForIsSaid) {
  const Words small = {"--kv-cache-memory", "1M", "--kv-cache-dtype", "float32"};
  const std::string said = Said(model_, small);
  EXPECT_TRUE(Has(said, "a request has at most 560 tokens\nnote: the model has ")) << said;
  EXPECT_TRUE(Has(said, "the memory for the KV cache holds 1,136 tokens")) << said;
  EXPECT_TRUE(Has(said, "--max-model-len N says otherwise, up to 1136\n")) << said;
  Words asked = small;
  asked.insert(asked.end(), {"--max-model-len", "560"});
  EXPECT_FALSE(Has(Said(model_, asked), "note: the model has "));
}

}  // namespace
}  // namespace fathom
