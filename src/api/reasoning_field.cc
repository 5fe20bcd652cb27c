#include "api/reasoning_field.h"

#include <string_view>

#include "api/chat_request.h"
#include "base/format.h"
#include "base/result.h"

namespace fathom {

Result<ReasoningField> ParseReasoningField(std::string_view flag) {
  if (flag == "reasoning_content") return ReasoningField::kReasoningContent;
  if (flag == "reasoning") return ReasoningField::kReasoning;
  if (flag == "both") return ReasoningField::kBoth;
  if (flag == "inline") return ReasoningField::kInline;
  return BadInput(Format("--reasoning-field: '{}' is not known", flag), "",
                  "choose from: reasoning_content, reasoning, both, inline");
}

ReasoningField ReasoningFieldFor(ReasoningWish wish, ReasoningField served) {
  if (wish == ReasoningWish::kHidden) return ReasoningField::kHidden;
  return wish == ReasoningWish::kInline ? ReasoningField::kInline : served;
}

}  // namespace fathom
