#include "npy_file.h"

#include <cstdint>
#include <string>

#include "tensor/npy_testing.h"

namespace fathom {
namespace {

template <typename T>
NpyFile<T> Read(const std::string& path) {
  const NpyArray array = ReadNpy(path);
  return {.shape = array.shape, .values = array.As<T>()};
}

}  // namespace

NpyFile<float> ReadFloats(const std::string& path) { return Read<float>(path); }
NpyFile<int32_t> ReadInts(const std::string& path) { return Read<int32_t>(path); }

}  // namespace fathom
