#include "cli/text_assets.h"

#include <cstdint>
#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/input_text.h"
#include "base/format.h"
#include "base/result.h"
#include "cli/text_input.h"
#include "io/file_system.h"
#include "text/chat_template.h"
#include "text/marked_text.h"
#include "text/template_text.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

// Local, as a template's strftime_now is.
std::string Today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  localtime_r(&now, &parts);
  return Format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

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

Result<Prompt> RenderPrompt(const TextAssets& assets, const Conversation& conversation,
                            const PromptOptions& options) {
  if (!assets.chat_template.ok()) return assets.chat_template.error();
  ChatTemplate::Input input;
  input.messages = conversation.messages;
  input.tools = conversation.tools;
  input.add_generation_prompt = options.add_generation_prompt;
  input.special_tokens = assets.tokenizer.special_tokens();
  input.extra = options.template_arguments;
  input.date = Today();
  FATHOM_TRY(const std::vector<TextSpan> spans, assets.chat_template->Render(input));
  Prompt prompt{JoinSpans(spans), {}};
  FATHOM_TRY(prompt.ids, options.parse_special
                             ? assets.tokenizer.Encode(prompt.text, true)
                             : assets.tokenizer.Encode(std::span<const TextSpan>(spans)));
  return prompt;
}

Result<Prompt> RawPrompt(const TextAssets& assets, std::string_view text, bool parse_special) {
  Prompt prompt{std::string(text), {}};
  const auto bos = assets.tokenizer.bos_id();
  if (assets.tokenizer.add_bos() && bos) prompt.ids.push_back(*bos);
  FATHOM_TRY(const std::vector<int32_t> ids, assets.tokenizer.Encode(text, parse_special));
  prompt.ids.insert(prompt.ids.end(), ids.begin(), ids.end());
  return prompt;
}

}  // namespace fathom
