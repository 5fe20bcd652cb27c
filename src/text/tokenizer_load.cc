// Tokenizer::Load: the only part of the tokenizer that touches files.
#include <cstdint>
#include <string>
#include <utility>

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

Error NoTokenizer(FileSystem& files, const std::string& folder) {
  Status is_folder =
      CheckFolder(files, folder, "name a folder that holds a checkpoint's tokenizer.json");
  if (!is_folder.ok()) return std::move(is_folder).error();
  return BadInput("there is no tokenizer.json in this folder", folder,
                  "fetch the checkpoint's tokenizer.json and tokenizer_config.json into it");
}

}  // namespace

Result<Tokenizer> Tokenizer::Load(FileSystem& files, const std::string& folder) {
  TokenizerFiles texts;
  const std::string json = JoinPath(folder, "tokenizer.json");
  if (!files.Exists(json)) return NoTokenizer(files, folder);
  FATHOM_TRY(texts.tokenizer_json, files.ReadText(json, kMostBytes));
  FATHOM_TRY(texts.tokenizer_config, ReadIfThere(files, JoinPath(folder, "tokenizer_config.json")));
  FATHOM_TRY(texts.chat_template, ReadIfThere(files, JoinPath(folder, "chat_template.jinja")));
  return Parse(texts, folder);
}

}  // namespace fathom
