#ifndef FATHOM_API_MODEL_LIST_H_
#define FATHOM_API_MODEL_LIST_H_

#include <cstdint>
#include <span>
#include <string>

namespace fathom {

// A served model as GET /v1/models names it.
struct ModelEntry {
  std::string id;       // --served-model-name; one of several names of one model is one entry
  std::string root;     // where it was loaded from
  int64_t created = 0;  // seconds since 1970
  int64_t max_model_len = 0;
};

// {"object":"list","data":[...]}
std::string ModelListBody(std::span<const ModelEntry> models);
// GET /v1/models/ID: {"id":...,"object":"model",...}
std::string ModelBody(const ModelEntry& model);

}  // namespace fathom

#endif  // FATHOM_API_MODEL_LIST_H_
