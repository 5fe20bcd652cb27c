#include "npy_file.h"

#include <cstdint>
#include <string>

#include "io/file_system.h"
#include "run_model.h"
#include "weights/npy.h"

namespace fathom {
namespace {

template <typename T>
NpyFile<T> Read(const std::string& path) {
  const auto files = MakePosixFileSystem();
  const NpyArray array = ValueOrExit(ReadNpy(*files, path));
  return {.shape = array.shape, .values = array.As<T>()};
}

}  // namespace

NpyFile<float> ReadFloats(const std::string& path) { return Read<float>(path); }
NpyFile<int32_t> ReadInts(const std::string& path) { return Read<int32_t>(path); }

}  // namespace fathom
