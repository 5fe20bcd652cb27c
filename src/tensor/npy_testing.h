#ifndef FATHOM_TENSOR_NPY_TESTING_H_
#define FATHOM_TENSOR_NPY_TESTING_H_

#include <cstdint>
#include <string>
#include <vector>

namespace fathom {

// A .npy array of golden data, for tests below the module that reads such files in earnest.
struct GoldenArray {
  std::string descr;  // "<f4", "<i4", "|u1", "<u2", "<f8"
  std::vector<int64_t> shape;
  std::vector<char> bytes;

  // The elements as T; a wrong element type or count ends the test program.
  template <typename T>
  std::vector<T> As() const;
};

// The golden file of this name below the folder FATHOM_GOLDEN names, or else below tests/golden of
// the working directory. A missing file ends the test program: a test must not pass without data.
GoldenArray ReadGoldenNpy(const std::string& name);

}  // namespace fathom

#endif  // FATHOM_TENSOR_NPY_TESTING_H_
