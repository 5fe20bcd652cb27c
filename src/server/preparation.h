#ifndef FATHOM_SERVER_PREPARATION_H_
#define FATHOM_SERVER_PREPARATION_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "api/api_error.h"
#include "base/result.h"
#include "engine/engine.h"
#include "server/answer.h"
#include "server/router.h"
#include "server/served_model.h"
#include "text/text_assets.h"

namespace fathom {

// A request for the engine: one GenerationRequest for each choice of its answer, those to one
// prompt alike save for their seeds.
struct Preparation {
  AnswerSetup answer;
  std::vector<GenerationRequest> requests;
  std::vector<std::string> unknown_fields;
  bool ignored_priority = false;  // it asked for one
  std::string prompt_field;       // that the prompts come of: "messages", "prompt"
};

// When a request came.
struct RequestTime {
  int64_t unix_seconds = 0;  // since 1970
  std::string date;          // "2026-01-02", for templates that name the day
};

// From a request's bytes to token ids. What is wrong with it is found here, or by
// Engine::Validate: a body that cannot be read, an unknown model, more answers than there is ever
// room for, a prompt that leaves no room.
// `routed` is moved from only by a Preparation. Threads: any.
using Prepared = std::variant<Preparation, ApiError>;
Prepared PrepareChat(const ServedModel& model, RoutedRequest& routed, const RequestTime& time);
Prepared PrepareCompletion(const ServedModel& model, RoutedRequest& routed,
                           const RequestTime& time);

// What a client hears when its messages do not become a prompt: 400 where the template refuses them
// or cannot render them, 500 where there is a template that cannot be read.
ApiError FromRendering(const TextAssets& text, Error error);

}  // namespace fathom

#endif  // FATHOM_SERVER_PREPARATION_H_
