#ifndef FATHOM_WEIGHTS_SAFETENSORS_H_
#define FATHOM_WEIGHTS_SAFETENSORS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"
#include "tensor/dtype.h"

namespace fathom {

// Where a tensor lies in a safetensors file.
struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  int64_t offset = 0;  // of its first byte from the beginning of the file
  int64_t bytes = 0;
};

// A header may have at most this many bytes: the format's own limit.
inline constexpr int64_t kMaxSafetensorsHeader = 100'000'000;

// Reads a header: `json` are the bytes that follow the eight of the length, `file_size` the size of
// the whole file. docs/formats/safetensors.md.
//
// Guarantee  entries are in the order of their offsets; each has shape product * width == bytes;
//            together they cover every byte from the header's end to the file's end exactly once.
//            Names are not empty and stand once. No dimension is negative, no product overflows.
// Errors     kBadInput, naming the tensor, expected and found.
Result<std::vector<SafetensorsEntry>> ParseSafetensorsHeader(std::string_view json,
                                                             int64_t file_size);

// The header of a file. Reads nothing but the header. Errors begin with the file's path.
Result<std::vector<SafetensorsEntry>> ReadSafetensorsHeader(const ReadableFile& file);

}  // namespace fathom

#endif  // FATHOM_WEIGHTS_SAFETENSORS_H_
