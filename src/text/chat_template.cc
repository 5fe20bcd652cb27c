#include "text/chat_template.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/jinja_ast.h"
#include "text/jinja_evaluator.h"
#include "text/jinja_parser.h"
#include "text/jinja_value.h"
#include "text/marked_text.h"
#include "text/template_text.h"

namespace fathom {
namespace {

Result<jinja::Scope> Variables(const ChatTemplate::Input& input) {
  using jinja::Value;
  jinja::Scope variables;
  FATHOM_TRY(variables["messages"], Value::FromJson(input.messages, /*from_message=*/true));
  FATHOM_TRY(variables["tools"], Value::FromJson(input.tools, /*from_message=*/true));
  variables["documents"] = Value();
  variables["add_generation_prompt"] = Value::Bool(input.add_generation_prompt);
  for (const auto& [name, value] : input.special_tokens.as_object()) {
    FATHOM_TRY(variables[name], Value::FromJson(value, /*from_message=*/false));
  }
  if (!input.extra.is_object()) {
    return BadInput("extra variables are not an object", "", "give a JSON object");
  }
  for (const auto& [name, value] : input.extra.as_object()) {
    FATHOM_TRY(variables[name], Value::FromJson(value, /*from_message=*/true));
  }
  return variables;
}

}  // namespace

struct ChatTemplate::State {
  std::string source, text;
  jinja::Block block;
};

ChatTemplate::ChatTemplate(std::unique_ptr<State> state) : state_(std::move(state)) {}
ChatTemplate::~ChatTemplate() = default;
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;

Result<ChatTemplate> ChatTemplate::Parse(const TemplateText& source) {
  Result<jinja::Block> block = jinja::ParseTemplate(source.text);
  if (!block.ok()) return Within(source.source, std::move(block).error());
  return ChatTemplate(
      std::make_unique<State>(State{source.source, source.text, std::move(block).value()}));
}

bool ChatTemplate::Mentions(std::string_view word) const {
  return state_->text.find(word) != std::string::npos;
}

Result<std::vector<TextSpan>> ChatTemplate::Render(const Input& input) const {
  FATHOM_TRY(jinja::Scope variables, Variables(input));
  Result<MarkedText> text = jinja::RenderTemplate(state_->block, std::move(variables), input.date);
  if (!text.ok()) return Within(state_->source, std::move(text).error());
  return text->Spans();
}

std::string JoinSpans(const std::vector<TextSpan>& spans) {
  std::string text;
  for (const TextSpan& span : spans) text += span.text;
  return text;
}

}  // namespace fathom
