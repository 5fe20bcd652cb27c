#ifndef FATHOM_CLI_MODEL_FOLDER_H_
#define FATHOM_CLI_MODEL_FOLDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "io/file_system.h"
#include "spec/generation_config.h"
#include "text/text_assets.h"
#include "weights/checkpoint.h"

namespace fathom {

// A model folder with everything in it that is quick to read: all but the weights.
struct ModelFolder {
  std::string path;
  Checkpoint checkpoint;
  std::optional<TextAssets> text;  // none: the folder has no tokenizer, only ids can be used
  GenerationDefaults defaults;

  // The ids that end an answer: generation_config.json's, config.json's and the tokenizer's.
  std::vector<int32_t> EosIds() const;
};

// `template_file` as in LoadTextAssets. `progress` hears of one phase. Errors (kBadInput) name the
// file.
Result<ModelFolder> OpenModelFolder(FileSystem& files, const std::string& path,
                                    const std::string& template_file, Progress& progress);

// The tokenizer, or the error that says what cannot be done without it: "--text".
Result<const TextAssets*> NeedText(const ModelFolder& folder, const std::string& what);

}  // namespace fathom

#endif  // FATHOM_CLI_MODEL_FOLDER_H_
