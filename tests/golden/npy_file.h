#ifndef FATHOM_TESTS_GOLDEN_NPY_FILE_H_
#define FATHOM_TESTS_GOLDEN_NPY_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/mat_view.h"

namespace fathom {

// A .npy file of float32 or int32.
template <typename T>
struct NpyFile {
  std::vector<int64_t> shape;
  std::vector<T> values;

  // The last two dimensions as a matrix; `index` counts over the dimensions before them.
  MatView<const T> Slice(int64_t index = 0) const {
    const int64_t rows = shape[shape.size() - 2];
    return {values.data() + index * rows * shape.back(), rows, shape.back()};
  }
};

// A file that cannot be read or holds another type ends the test program.
NpyFile<float> ReadFloats(const std::string& path);
NpyFile<int32_t> ReadInts(const std::string& path);

}  // namespace fathom

#endif  // FATHOM_TESTS_GOLDEN_NPY_FILE_H_
