#ifndef FATHOM_WEIGHTS_NPY_H_
#define FATHOM_WEIGHTS_NPY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"

namespace fathom {

// Element types of arrays in .npy files, as numpy names them in `descr`.
enum class NpyType { kFloat32, kFloat64, kInt32, kInt64, kUint8, kUint16 };

// A numpy array in C order.
struct NpyArray {
  NpyType type = NpyType::kFloat32;
  std::vector<int64_t> shape;
  std::vector<std::byte> data;  // shape product * element width

  int64_t elements() const;
  // The elements as a vector; T must be the array's type (CHECK).
  template <typename T>
  std::vector<T> As() const;
};

// Reads the bytes of a .npy file, version 1.0, little-endian, C order.
//
// Guarantee  the data have exactly shape product * element width bytes.
// Errors     kBadInput: another version, type or order, a header that is cut or not understood,
//            data of another length.
Result<NpyArray> ParseNpy(std::span<const std::byte> file);
// The same for a file; errors begin with its path.
Result<NpyArray> ReadNpy(FileSystem& files, const std::string& path);

// Writes a float32 array [rows, cols] row by row; the file appears whole or not at all.
class NpyWriter {
 public:
  static Result<NpyWriter> Create(FileSystem& files, const std::string& path, int64_t rows,
                                  int64_t cols);
  // The next row (CHECK: cols values, at most `rows` times).
  Status AppendRow(std::span<const float> row);
  // After the last row (CHECK).
  Status Commit();

 private:
  NpyWriter(std::unique_ptr<OutputFile> file, int64_t rows, int64_t cols);

  std::unique_ptr<OutputFile> file_;
  int64_t rows_left_;
  int64_t cols_;
};

}  // namespace fathom

#endif  // FATHOM_WEIGHTS_NPY_H_
