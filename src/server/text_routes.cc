#include "server/text_routes.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/api_error.h"
#include "api/model_list.h"
#include "api/tokenize_request.h"
#include "base/result.h"
#include "server/preparation.h"
#include "server/router.h"
#include "server/served_model.h"

namespace fathom {
namespace {

ModelEntry Entry(const ServedModel& model, const std::string& name) {
  return {name, model.root, model.created, model.max_model_len};
}

}  // namespace

TextResult AnswerTokenize(const ServedModel& model, const RoutedRequest& routed,
                          const RequestTime& time) {
  Result<TokenizeRequest> request = ParseTokenizeRequest(routed.request.body);
  if (!request.ok()) return FromError(request.error());
  if (!model.Serves(request->model)) return ModelNotFound(request->model, model.names);
  const Result<std::vector<int32_t>> ids = Tokenize(model.text, *request, time.date);
  if (!ids.ok()) {
    return request->conversation ? FromRendering(model.text, ids.error())
                                 : FromError(ids.error(), "prompt");
  }
  return TextAnswer{TokenizeResponseBody(model.text.tokenizer, *request, *ids, model.max_model_len),
                    std::move(request->unknown_fields)};
}

TextResult AnswerDetokenize(const ServedModel& model, const RoutedRequest& routed,
                            const RequestTime& /*time*/) {
  Result<DetokenizeRequest> request = ParseDetokenizeRequest(routed.request.body, {model.vocab});
  if (!request.ok()) return FromError(request.error());
  if (!model.Serves(request->model)) return ModelNotFound(request->model, model.names);
  return TextAnswer{DetokenizeResponseBody(model.text.tokenizer, request->tokens),
                    std::move(request->unknown_fields)};
}

TextResult AnswerModels(const ServedModel& model, const RoutedRequest& /*routed*/) {
  std::vector<ModelEntry> entries;
  entries.reserve(model.names.size());
  for (const std::string& name : model.names) entries.push_back(Entry(model, name));
  return TextAnswer{ModelListBody(entries), {}};
}

TextResult AnswerModel(const ServedModel& model, const RoutedRequest& routed) {
  if (!model.Serves(routed.path_rest)) return ModelNotFound(routed.path_rest, model.names);
  return TextAnswer{ModelBody(Entry(model, routed.path_rest)), {}};
}

}  // namespace fathom
