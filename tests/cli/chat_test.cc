// The chat, from a pipe and on a terminal.

#include <gtest/gtest.h>
#include <signal.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/cli/child_process.h"
#include "tests/cli/tiny_model.h"

namespace fathom {
namespace {

using Words = std::vector<std::string>;

class ChatTest : public testing::Test {
 protected:
  Words Args(const Words& more) {
    Words args = {"run", model_, "--temperature", "0"};
    args.insert(args.end(), more.begin(), more.end());
    return args;
  }

  ScratchFolder folder_;
  std::string model_ = WriteTinyModel(folder_, "tiny");
  // A template that does not open the reasoning, so that answers are text.
  std::string plain_ = folder_.Put(
      "plain.jinja",
      "{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<bot>");
};

int64_t Count(const std::string& text, const std::string& part) {
  int64_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(ChatTest, FromAPipeEachLineIsOneTurn) {
  const Outcome outcome =
      RunFathom(Args({"--chat-template", plain_, "--logit-bias", "99:100", "--max-tokens", "2"}),
                "one\n\ntwo\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "aa\naa\n");
  // <bos> <user> o n e <bot>, then the answer and the second turn behind it.
  EXPECT_NE(outcome.err.find("prompt of 11 tokens"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("prompt of 33 tokens"), std::string::npos) << outcome.err;
}

TEST_F(ChatTest, OnATerminalThereAreCommands) {
  Child child(Args({"--chat-template", plain_, "--logit-bias", "99:100", "--max-tokens", "2",
                    "--system", "S"}),
              Child::Streams::kTerminal);
  for (const char* line : {"one\n", "/clear\n", "one\n", "/help\n", "/exit\n"}) {
    ASSERT_TRUE(child.ReadUntil("> "));
    child.Write(line);
  }
  const Outcome outcome = child.Finish();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_EQ(Count(outcome.out, "prompt of 20 tokens"), 2) << outcome.out;
  EXPECT_NE(outcome.out.find("unknown command /help; known: /exit, /clear"), std::string::npos);
}

TEST_F(ChatTest, ALineThatTheTerminalCutsIsNotAnsweredAsIfItWereWhole) {
  Child child(Args({"--chat-template", plain_, "--max-tokens", "2"}), Child::Streams::kTerminal);
  ASSERT_TRUE(child.ReadUntil("> "));
  child.Write(std::string(5000, 'b') + "\n");
  ASSERT_TRUE(child.ReadUntil("the terminal cut the line after 4095 bytes"));
  ASSERT_TRUE(child.ReadUntil("> "));
  child.Write("\x04");  // Ctrl-D
  EXPECT_EQ(child.Finish().exit_code, 0);
}

TEST_F(ChatTest, FromAPipeEachLineIsAMessageWhateverItBeginsWith) {
  const Outcome outcome =
      RunFathom(Args({"--chat-template", plain_, "--logit-bias", "99:100", "--max-tokens", "2"}),
                "/exit\n/etc/passwd\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "aa\naa\n");
  EXPECT_EQ(outcome.err.find("unknown command"), std::string::npos) << outcome.err;
}

TEST_F(ChatTest, ALineThatIsNotUtf8IsRefusedWithItsPlace) {
  const Outcome outcome =
      RunFathom(Args({"--chat-template", plain_, "--max-tokens", "2"}), "a\n\nab\xff\n");
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_EQ(ErrorIn(outcome),
            "error: byte 0xff at offset 2 of the line is not UTF-8\n"
            "  where: run: standard input: line 3\n"
            "  fix: write the text as UTF-8; `iconv -f ENCODING -t UTF-8` converts a file\n");
}

TEST_F(ChatTest, AMessageThatDoesNotEndIsRefused) {
  const Outcome outcome = RunFathom(Args({"--chat-template", plain_, "--max-tokens", "2"}),
                                    "a\n" + std::string((size_t{16} << 20) + 2, 'b'));
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_EQ(ErrorIn(outcome),
            "error: the message has more than 16,777,216 bytes\n"
            "  where: run: standard input: line 2\n"
            "  fix: each line is a message: send a shorter one\n");
}

TEST_F(ChatTest, AFullContextLeavesTheOldestTurnOutAndSaysSo) {
  const Outcome outcome = RunFathom(Args({"--chat-template", plain_, "--logit-bias", "99:100",
                                          "--max-tokens", "2", "--max-model-len", "30"}),
                                    "one\ntwo\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "aa\naa\n");
  EXPECT_NE(outcome.err.find("the context is full (33 of 30 tokens): the oldest turn was left out, "
                             "11 remain\n"),
            std::string::npos)
      << outcome.err;
}

TEST_F(ChatTest, OnATerminalAFullContextTellsHowToBeginAnew) {
  Child child(Args({"--chat-template", plain_, "--logit-bias", "99:100", "--max-tokens", "2",
                    "--max-model-len", "30"}),
              Child::Streams::kTerminal);
  for (const char* line : {"one\n", "two\n", "/exit\n"}) {
    ASSERT_TRUE(child.ReadUntil("> "));
    child.Write(line);
  }
  const Outcome outcome = child.Finish();
  EXPECT_NE(outcome.out.find("the oldest turn was left out, 11 remain; /clear begins anew\r\n"),
            std::string::npos)
      << outcome.out;
}

TEST_F(ChatTest, AMessageThatNeverFitsIsRefused) {
  const Outcome outcome =
      RunFathom(Args({"--chat-template", plain_, "--max-model-len", "12"}), "much too long\n");
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_NE(outcome.err.find("leaves no room for an answer in the 12 that fit\n"
                             "  where: run: standard input: line 1\n"),
            std::string::npos)
      << outcome.err;
}

TEST_F(ChatTest, ReasoningIsDimmedOnATerminalUnlessColourIsRefused) {
  for (const char* no_color : {"", "1"}) {
    Child child(Args({"--logit-bias", "99:100", "--max-tokens", "2"}), Child::Streams::kTerminal,
                {{"NO_COLOR", no_color}});
    ASSERT_TRUE(child.ReadUntil("> "));
    child.Write("hi\n");
    ASSERT_TRUE(child.ReadUntil("aa"));
    ASSERT_TRUE(child.ReadUntil("length"));
    child.Write("\x04");  // Ctrl-D
    const Outcome outcome = child.Finish();
    EXPECT_EQ(outcome.exit_code, 0);
    const bool dimmed = outcome.out.find("\x1b[2maa\x1b[0m") != std::string::npos;
    EXPECT_EQ(dimmed, *no_color == '\0') << outcome.out;
  }
}

TEST_F(ChatTest, OnATerminalAMessageThatNeverFitsIsToldAndForgotten) {
  Child child(Args({"--chat-template", plain_, "--max-model-len", "16", "--logit-bias", "1:100"}),
              Child::Streams::kTerminal);
  ASSERT_TRUE(child.ReadUntil("> "));
  child.Write("much too long\n");
  ASSERT_TRUE(child.ReadUntil("leaves no room for an answer"));
  child.Write("ok\n");
  ASSERT_TRUE(child.ReadUntil("prompt of 10 tokens"));
  child.Write("/exit\n");
  EXPECT_EQ(child.Finish().exit_code, 0);
}

TEST_F(ChatTest, CtrlCStopsTheAnswerAndNotTheChat) {
  Child child(Args({"--chat-template", plain_, "--logit-bias", "99:100", "--ignore-eos"}),
              Child::Streams::kTerminal);
  ASSERT_TRUE(child.ReadUntil("> "));
  child.Write("hi\n");
  ASSERT_TRUE(child.ReadUntil("aaaa"));
  child.Write("\x03");
  ASSERT_TRUE(child.ReadUntil("cancelled"));
  ASSERT_TRUE(child.ReadUntil("\n> "));
  child.Write("/exit\n");
  EXPECT_EQ(child.Finish().exit_code, 0);
}

TEST_F(ChatTest, ATerminationEndsTheChatAtThePromptAndInsideAnAnswer) {
  Child waiting(Args({}), Child::Streams::kTerminal);
  ASSERT_TRUE(waiting.ReadUntil("> "));
  waiting.Signal(SIGTERM);
  EXPECT_EQ(waiting.Finish().exit_code, 143);

  Child answering(Args({"--chat-template", plain_, "--logit-bias", "99:100", "--ignore-eos"}),
                  Child::Streams::kTerminal);
  ASSERT_TRUE(answering.ReadUntil("> "));
  answering.Write("hi\n");
  ASSERT_TRUE(answering.ReadUntil("aaaa"));
  answering.Signal(SIGTERM);
  EXPECT_EQ(answering.Finish().exit_code, 143);
}

TEST_F(ChatTest, ASecondCtrlCAtThePromptLeaves) {
  Child child(Args({}), Child::Streams::kTerminal);
  ASSERT_TRUE(child.ReadUntil("> "));
  child.Write("\x03");
  ASSERT_TRUE(child.ReadUntil("Ctrl-C again leaves."));
  child.Write("\x03");
  EXPECT_EQ(child.Finish().exit_code, 130);
}

TEST_F(ChatTest, AKeyPressedBetweenTwoCtrlCKeepsTheChat) {
  Child child(Args({"--logit-bias", "1:100"}), Child::Streams::kTerminal);
  ASSERT_TRUE(child.ReadUntil("> "));
  child.Write("\x03");
  ASSERT_TRUE(child.ReadUntil("Ctrl-C again leaves."));
  child.Write("hi\n");
  ASSERT_TRUE(child.ReadUntil("stop"));
  child.Write("/exit\n");
  EXPECT_EQ(child.Finish().exit_code, 0);
}

}  // namespace
}  // namespace fathom
