#ifndef FATHOM_TEXT_CHAT_TEMPLATE_H_
#define FATHOM_TEXT_CHAT_TEMPLATE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/marked_text.h"
#include "text/template_text.h"

namespace fathom {

// A checkpoint's Jinja chat template: the subset of Jinja2 that the published DeepSeek, Qwen and
// Llama templates use, with transformers' settings (trim_blocks, lstrip_blocks). What it renders is
// exactly Jinja2's text; what it cannot do is an error. docs/formats/chat-template.md.
//
// Threads  const calls are safe from several threads at once.
class ChatTemplate {
 public:
  // Parses once. What the subset does not know is an error (kBadInput) naming it and its line.
  static Result<ChatTemplate> Parse(const TemplateText& source);
  ~ChatTemplate();
  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;

  // True if the template's text has this word: "developer" for a role it may know.
  bool Mentions(std::string_view word) const;

  struct Input {
    Json messages;  // array of {"role", "content", ...}
    Json tools;     // null or array
    bool add_generation_prompt = true;
    Json special_tokens = Json::MakeObject();  // those that are set: {"bos_token": "<s>", ...}
    Json extra = Json::MakeObject();           // further variables, e.g. {"thinking": true}
    std::string date;                          // what strftime_now formats: "2026-01-02"
  };
  // The prompt, cut where text of the messages (or tools) begins and ends. Errors (kBadInput), each
  // with its line: what the template itself raises (raise_exception), unknown variables used as
  // values, wrong types.
  Result<std::vector<TextSpan>> Render(const Input& input) const;

 private:
  struct State;
  explicit ChatTemplate(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// All spans joined.
std::string JoinSpans(const std::vector<TextSpan>& spans);

}  // namespace fathom

#endif  // FATHOM_TEXT_CHAT_TEMPLATE_H_
