#ifndef FATHOM_SERVER_TEXT_ROUTES_H_
#define FATHOM_SERVER_TEXT_ROUTES_H_

#include <string>
#include <variant>
#include <vector>

#include "api/api_error.h"
#include "server/preparation.h"
#include "server/router.h"
#include "server/served_model.h"

namespace fathom {

// An answer that needs the model's texts and names, not its weights.
struct TextAnswer {
  std::string body;  // JSON
  std::vector<std::string> unknown_fields;
};

// Each answers a request of its route. Threads: any.
using TextResult = std::variant<TextAnswer, ApiError>;
TextResult AnswerTokenize(const ServedModel& model, const RoutedRequest& routed,
                          const RequestTime& time);
TextResult AnswerDetokenize(const ServedModel& model, const RoutedRequest& routed,
                            const RequestTime& time);
TextResult AnswerModels(const ServedModel& model, const RoutedRequest& routed);
TextResult AnswerModel(const ServedModel& model, const RoutedRequest& routed);

}  // namespace fathom

#endif  // FATHOM_SERVER_TEXT_ROUTES_H_
