// Tokenizer::Load: the only part of the tokenizer that touches files.
#include <cstdint>
#include <string>

#include "base/result.h"
#include "io/file_system.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

// The largest published tokenizer.json has about 20 MB.
constexpr int64_t kMostBytes = int64_t{256} << 20;

Result<std::string> ReadIfThere(FileSystem& files, const std::string& path) {
  if (!files.Exists(path)) return std::string();
  return files.ReadText(path, kMostBytes);
}

}  // namespace

Result<Tokenizer> Tokenizer::Load(FileSystem& files, const std::string& folder) {
  TokenizerFiles texts;
  FATHOM_TRY(texts.tokenizer_json, files.ReadText(JoinPath(folder, "tokenizer.json"), kMostBytes));
  FATHOM_TRY(texts.tokenizer_config, ReadIfThere(files, JoinPath(folder, "tokenizer_config.json")));
  FATHOM_TRY(texts.chat_template, ReadIfThere(files, JoinPath(folder, "chat_template.jinja")));
  return Parse(texts, folder);
}

}  // namespace fathom
