#include "cli/model_folder.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/result.h"
#include "io/file_system.h"
#include "spec/generation_config.h"
#include "text/text_assets.h"
#include "weights/checkpoint.h"

namespace fathom {
namespace {

Result<GenerationDefaults> ReadDefaults(FileSystem& files, const std::string& folder,
                                        int64_t vocab) {
  const std::string path = JoinPath(folder, "generation_config.json");
  if (!files.Exists(path)) return GenerationDefaults();
  FATHOM_TRY(const std::string text, files.ReadText(path));
  FATHOM_TRY(const Json json, ParseJson(text, JsonSource::Fetched(path)));
  return ParseGenerationConfig(json, path, vocab);
}

}  // namespace

std::vector<int32_t> ModelFolder::EosIds() const {
  std::set<int32_t> ids;
  for (const int64_t id : defaults.eos_token_ids) ids.insert(static_cast<int32_t>(id));
  for (const int64_t id : checkpoint.config().eos_token_ids) ids.insert(static_cast<int32_t>(id));
  if (text && text->tokenizer.eos_id()) ids.insert(*text->tokenizer.eos_id());
  return {ids.begin(), ids.end()};
}

Result<ModelFolder> OpenModelFolder(FileSystem& files, const std::string& path,
                                    const std::string& template_file, Progress& progress) {
  progress.Begin(1, 1, "reading headers", 0);
  FATHOM_TRY(Checkpoint checkpoint, Checkpoint::Open(files, path));
  FATHOM_TRY(GenerationDefaults defaults, ReadDefaults(files, path, checkpoint.config().vocab));
  std::optional<TextAssets> text;
  if (HasTokenizer(files, path)) {
    FATHOM_TRY(text, LoadTextAssets(files, path, template_file));
  }
  progress.End();
  return ModelFolder{path, std::move(checkpoint), std::move(text), std::move(defaults)};
}

Result<const TextAssets*> NeedText(const ModelFolder& folder, const std::string& what) {
  if (folder.text) return &*folder.text;
  return BadInput(Format("{} needs a tokenizer, and the folder has no tokenizer.json", what),
                  folder.path, "give token ids, or add the checkpoint's tokenizer files");
}

}  // namespace fathom
