#ifndef FATHOM_TEXT_GOLDEN_TESTING_H_
#define FATHOM_TEXT_GOLDEN_TESTING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "text/tokenizer.h"

namespace fathom {

// The whole file; a file that cannot be read fails the test and gives "".
std::string ReadTestFile(const std::string& path);

// The folder of the tokenizer's golden data: inside FATHOM_GOLDEN when that is set, else the copy
// in this repository.
std::string GoldenTokenizerFolder();
Json ReadGoldenJson(const std::string& name);
// Vectors made by tools/make_*_vectors for this module; always this repository's.
Json ReadVectors(const std::string& name);

// Conversations with tools, and what Jinja2 renders a published template to for them
// (tools_vectors.json).
struct ToolsRendering {
  std::string name;  // of template and conversation, for messages
  std::string chat_template;
  Json messages, tools;
  std::string bos;
  std::string text;
};
std::vector<ToolsRendering> ReadToolsRenderings();

// The tokenizer.json and tokenizer_config.json in the folder that an environment variable names.
// nullopt when it is not set (skip the test, with a reason); set and unreadable fails the test.
std::optional<TokenizerFiles> TokenizerFilesFromEnvironment(const char* variable);

// DeepSeek-R1's tokenizer is V3's with two placeholders renamed.
TokenizerFiles MakeR1Files(const TokenizerFiles& v3);

std::vector<int32_t> IdsOf(const Json& array);

}  // namespace fathom

#endif  // FATHOM_TEXT_GOLDEN_TESTING_H_
