#ifndef FATHOM_TEXT_TEXT_ASSETS_H_
#define FATHOM_TEXT_TEXT_ASSETS_H_

#include <string>

#include "base/result.h"
#include "io/file_system.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace fathom {

// What turns text into ids and back: a checkpoint's tokenizer and its chat template, whose error
// (none is there, it is not supported) is only that of whoever renders one.
struct TextAssets {
  Tokenizer tokenizer;
  Result<ChatTemplate> chat_template;
};

// True when the folder holds a tokenizer.json.
bool HasTokenizer(FileSystem& files, const std::string& folder);

// Reads the tokenizer of `folder`. `template_file`, unless empty, takes the place of the chat
// template that the folder names; it has to be readable.
Result<TextAssets> LoadTextAssets(FileSystem& files, const std::string& folder,
                                  const std::string& template_file);

}  // namespace fathom

#endif  // FATHOM_TEXT_TEXT_ASSETS_H_
