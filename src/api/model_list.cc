#include "api/model_list.h"

#include <span>
#include <string>

#include "base/json.h"

namespace fathom {
namespace {

Json ModelJson(const ModelEntry& model) {
  return Json::MakeObject({{"id", model.id},
                           {"object", "model"},
                           {"created", model.created},
                           {"owned_by", "fathom"},
                           {"root", model.root},
                           {"parent", Json()},
                           {"max_model_len", model.max_model_len},
                           {"permission", Json::MakeArray()}});
}

}  // namespace

std::string ModelListBody(std::span<const ModelEntry> models) {
  Json data = Json::MakeArray();
  for (const ModelEntry& model : models) data.Append(ModelJson(model));
  return Json::MakeObject({{"object", "list"}, {"data", data}}).Dump();
}

std::string ModelBody(const ModelEntry& model) { return ModelJson(model).Dump(); }

}  // namespace fathom
