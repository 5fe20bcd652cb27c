#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "tensor/dtype.h"
#include "weights/safetensors.h"

// Checks what weights/safetensors.h promises of a header that is accepted: every byte of the data
// belongs to exactly one tensor, and shapes and bytes agree. The first byte is the size of the
// data.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view json(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto data_start = static_cast<int64_t>(8 + json.size());
  const int64_t file_size = data_start + data[0];
  const auto entries = fathom::ParseSafetensorsHeader(json, file_size);
  if (!entries.ok()) {
    FATHOM_CHECK(!entries.error().what.empty());
    return 0;
  }
  int64_t end = data_start;
  std::set<std::string> names;
  for (const auto& entry : *entries) {
    FATHOM_CHECK(!entry.name.empty() && names.insert(entry.name).second);
    FATHOM_CHECK(entry.offset == end && entry.bytes >= 0);
    end += entry.bytes;
    // 128 bits: the product of a header's dimensions may not be trusted to fit.
    __int128 bytes = fathom::DTypeBytes(entry.dtype);
    for (const int64_t dim : entry.shape) {
      FATHOM_CHECK(dim >= 0);
      bytes *= dim;
    }
    FATHOM_CHECK(bytes == entry.bytes);
  }
  FATHOM_CHECK(end == file_size);
  return 0;
}
