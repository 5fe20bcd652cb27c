#ifndef FATHOM_WEIGHTS_NPY_WRITER_H_
#define FATHOM_WEIGHTS_NPY_WRITER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "io/file_system.h"

namespace fathom {

// Writes a float32 array [rows, cols] as numpy.save does (.npy version 1.0), row by row; the file
// appears whole or not at all.
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

#endif  // FATHOM_WEIGHTS_NPY_WRITER_H_
