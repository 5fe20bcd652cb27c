// A chat template that cannot be used is in nobody's way but of who renders it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/child_process.h"
#include "tests/cli/tiny_model.h"

namespace fathom {
namespace {

using Words = std::vector<std::string>;

struct Case {
  const char* name;
  const char* file;
  const char* content;
  const char* what;
  const char* place;  // in the folder
};

class UnusableTemplate : public testing::TestWithParam<Case> {
 protected:
  UnusableTemplate() { folder_.Put(std::string("m/") + GetParam().file, GetParam().content); }

  std::string Messages() const {
    return folder_.Put("m.json", R"([{"role":"user","content":"a"}])");
  }
  Words Score(const char* line) const {
    return {"score",    model_,
            "--input",  folder_.Put("in.jsonl", line),
            "--output", folder_ / "out.jsonl"};
  }
  void ExpectDone(const Words& args) const {
    const Outcome outcome = RunFathom(args);
    EXPECT_EQ(outcome.exit_code, 0) << args[0] << "\n" << outcome.err;
  }
  void ExpectRefused(const Words& args) const {
    const Outcome outcome = RunFathom(args);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(GetParam().what), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(model_ + "/" + GetParam().place + "\n"), std::string::npos)
        << outcome.err;
  }

  ScratchFolder folder_;
  std::string model_ = WriteTinyModel(folder_, "m");
};

TEST_P(UnusableTemplate, WhatRendersNoneWorks) {
  ExpectDone({"run", model_, "--prompt-ids", "0,5", "--max-tokens", "1"});
  ExpectDone({"run", model_, "--raw", "-p", "ab", "--max-tokens", "1"});
  ExpectDone({"tokenize", model_, "--text", "ab"});
  ExpectDone({"tokenize", model_, "--ids", "5"});
  ExpectDone(Score(R"({"id":"a","ids":[0,5,9]})"));
  ExpectDone(Score(R"({"id":"a","text":"ab"})"));
}

TEST_P(UnusableTemplate, WhatRendersItSaysWhatIsWrongAndWhere) {
  ExpectRefused({"run", model_, "-p", "a"});
  ExpectRefused({"tokenize", model_, "--messages", Messages()});
  ExpectRefused(Score(R"({"id":"a","messages":[{"role":"user","content":"a"}]})"));
}

TEST_P(UnusableTemplate, AnotherCanTakeItsPlace) {
  const std::string other = folder_.Put("t.jinja", "{{ messages[0].content }}");
  ExpectDone({"run", model_, "-p", "a", "--chat-template", other, "--max-tokens", "1"});
  ExpectDone({"tokenize", model_, "--messages", Messages(), "--chat-template", other});
}

INSTANTIATE_TEST_SUITE_P(
    All, UnusableTemplate,
    testing::Values(Case{"InItsOwnFile", "chat_template.jinja", "a\n{% call f() %}{% endcall %}",
                         "tag \"call\" is not supported", "chat_template.jinja: line 2"},
                    Case{"InTheConfig", "tokenizer_config.json",
                         R"({"bos_token":"<bos>","chat_template":"{% call f() %}"})",
                         "tag \"call\" is not supported",
                         "tokenizer_config.json: /chat_template: line 1"},
                    Case{"NoDefault", "tokenizer_config.json",
                         R"({"bos_token":"<bos>","chat_template":[{"name":"rag","template":"x"}]})",
                         "none of the chat templates is named \"default\"",
                         "tokenizer_config.json: /chat_template"}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace fathom
