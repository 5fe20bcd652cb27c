#ifndef FATHOM_TENSOR_NPY_TESTING_H_
#define FATHOM_TENSOR_NPY_TESTING_H_

#include <cstdint>
#include <string>
#include <vector>

namespace fathom {

// A numpy array in C order, as a .npy file of version 1.0 holds it.
struct NpyArray {
  std::string descr;  // "<f4", "<i4", "|u1", "<u2", "<f8"
  std::vector<int64_t> shape;
  std::vector<char> bytes;

  // The elements as T; a wrong element type or count ends the test program.
  template <typename T>
  std::vector<T> As() const;
};

// A file that is missing or not of this form ends the test program: a test must not pass without
// its data.
NpyArray ReadNpy(const std::string& path);

// The golden file of this name below GoldenFolder().
NpyArray ReadGoldenNpy(const std::string& name);

}  // namespace fathom

#endif  // FATHOM_TENSOR_NPY_TESTING_H_
