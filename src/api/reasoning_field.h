#ifndef FATHOM_API_REASONING_FIELD_H_
#define FATHOM_API_REASONING_FIELD_H_

#include <string_view>

#include "api/chat_request.h"
#include "base/result.h"

namespace fathom {

// Where a chat's answer has its reasoning. The clients do not agree on the name.
enum class ReasoningField {
  kReasoningContent,  // DeepSeek's and vLLM's older name
  kReasoning,         // vLLM's newer and OpenRouter's
  kBoth,              // the same text twice
  kInline,            // in the content, between its tags
  kHidden,            // nowhere
};

// The value of --reasoning-field: reasoning_content, reasoning, both or inline.
Result<ReasoningField> ParseReasoningField(std::string_view flag);

// What a request gets from a server that was started with `served`.
ReasoningField ReasoningFieldFor(ReasoningWish wish, ReasoningField served);

}  // namespace fathom

#endif  // FATHOM_API_REASONING_FIELD_H_
