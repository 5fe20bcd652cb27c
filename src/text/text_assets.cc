#include "text/text_assets.h"

#include <string>
#include <utility>

#include "base/result.h"
#include "io/file_system.h"
#include "text/chat_template.h"
#include "text/template_text.h"
#include "text/text_input.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

Result<ChatTemplate> ParseTemplate(const Result<TemplateText>& source) {
  if (!source.ok()) return source.error();
  return ChatTemplate::Parse(*source);
}

}  // namespace

bool HasTokenizer(FileSystem& files, const std::string& folder) {
  return files.Exists(JoinPath(folder, "tokenizer.json"));
}

Result<TextAssets> LoadTextAssets(FileSystem& files, const std::string& folder,
                                  const std::string& template_file) {
  FATHOM_TRY(Tokenizer tokenizer, Tokenizer::Load(files, folder));
  Result<TemplateText> source = tokenizer.chat_template();
  if (!template_file.empty()) {
    FATHOM_TRY(std::string text, ReadTextInput(files, template_file, kMostTextBytes));
    source = TemplateText{std::move(text), InputName(template_file)};
  }
  return TextAssets{std::move(tokenizer), ParseTemplate(source)};
}

}  // namespace fathom
