#ifndef FATHOM_TENSOR_MAT_VIEW_H_
#define FATHOM_TENSOR_MAT_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "base/check.h"

namespace fathom {

// A row-major matrix somebody else owns: row r begins at data + r * stride (stride in elements, >=
// cols).
template <typename T>
class MatView {
 public:
  MatView() = default;
  MatView(T* data, int64_t rows, int64_t cols) : MatView(data, rows, cols, cols) {}
  MatView(T* data, int64_t rows, int64_t cols, int64_t stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {
    FATHOM_CHECK(rows >= 0 && cols >= 0 && stride >= cols);
  }
  // MatView<float> is accepted where MatView<const float> is asked for.
  template <typename U>
    requires(std::is_same_v<const U, T> && !std::is_const_v<U>)
  MatView(MatView<U> other)  // NOLINT(google-explicit-constructor)
      : MatView(other.data(), other.rows(), other.cols(), other.stride()) {}

  T* data() const { return data_; }
  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  int64_t stride() const { return stride_; }
  bool empty() const { return rows_ == 0 || cols_ == 0; }

  T* RowPtr(int64_t row) const { return data_ + row * stride_; }
  std::span<T> operator[](int64_t row) const { return {RowPtr(row), static_cast<size_t>(cols_)}; }
  MatView Rows(int64_t first, int64_t count) const {
    FATHOM_CHECK(first >= 0 && count >= 0 && first + count <= rows_);
    return {RowPtr(first), count, cols_, stride_};
  }
  MatView Cols(int64_t first, int64_t count) const {
    FATHOM_CHECK(first >= 0 && count >= 0 && first + count <= cols_);
    return {data_ + first, rows_, count, stride_};
  }

 private:
  T* data_ = nullptr;
  int64_t rows_ = 0;
  int64_t cols_ = 0;
  int64_t stride_ = 0;
};

// Memory on a cache-line boundary, not initialised; moves, does not copy.
template <typename T>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(int64_t size)
      : data_(static_cast<T*>(::operator new(static_cast<size_t>(size) * sizeof(T), kAlign))),
        size_(size) {}

  T* data() const { return data_.get(); }
  int64_t size() const { return size_; }
  std::span<T> span() const { return {data_.get(), static_cast<size_t>(size_)}; }

 private:
  static constexpr std::align_val_t kAlign{64};
  struct Free {
    void operator()(T* pointer) const { ::operator delete(pointer, kAlign); }
  };
  std::unique_ptr<T, Free> data_;
  int64_t size_ = 0;
};

// A row-major matrix that owns its elements, aligned to 64 bytes, rows packed (stride = cols). Not
// initialised. Resize keeps the allocation when it is large enough; the old contents are lost.
template <typename T>
class Matrix {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Matrix() = default;
  Matrix(int64_t rows, int64_t cols) { Resize(rows, cols); }

  void Resize(int64_t rows, int64_t cols) {
    FATHOM_CHECK(rows >= 0 && cols >= 0);
    if (rows * cols > buffer_.size()) buffer_ = AlignedBuffer<T>(rows * cols);
    rows_ = rows;
    cols_ = cols;
  }
  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  T* data() const { return buffer_.data(); }
  MatView<T> view() { return {buffer_.data(), rows_, cols_}; }
  MatView<const T> view() const { return {buffer_.data(), rows_, cols_}; }
  std::span<T> operator[](int64_t row) { return view()[row]; }
  std::span<const T> operator[](int64_t row) const { return view()[row]; }

 private:
  AlignedBuffer<T> buffer_;
  int64_t rows_ = 0;
  int64_t cols_ = 0;
};

}  // namespace fathom

#endif  // FATHOM_TENSOR_MAT_VIEW_H_
