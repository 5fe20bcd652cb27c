#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "weights/npy.h"

// Checks what weights/npy.h promises: an accepted array has the data its shape asks for.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto array = fathom::ParseNpy(std::as_bytes(std::span(data, size)));
  if (!array.ok()) {
    FATHOM_CHECK(!array.error().what.empty());
    return 0;
  }
  int64_t elements = 1;
  for (const int64_t dim : array->shape) {
    FATHOM_CHECK(dim >= 0);
    elements *= dim;
  }
  FATHOM_CHECK(elements == array->elements());
  return 0;
}
