#include "ops/mat_mul.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "base/math.h"
#include "ops/compute.h"
#include "ops/int8_kernel.h"
#include "ops/int8_rows.h"
#include "ops/mat_mul_kernel.h"
#include "ops/packed_matrix.h"
#include "ops/profile.h"
#include "tensor/dtype.h"

namespace fathom {
namespace {

// Work items a thread gets on average: enough to level out threads of unequal speed.
constexpr int64_t kItemsPerThread = 8;

MatMulKernels KernelsFor(Isa isa) {
#if defined(FATHOM_X86_KERNELS)
  if (isa == Isa::kAvx2) return {MatMulStripAvx2, Int8KernelAvx2()};
  if (isa == Isa::kAvx512) return {MatMulStripAvx512, Int8KernelAvx512()};
#endif
  FATHOM_CHECK(isa == Isa::kPortable);
  return {MatMulStripPortable, Int8KernelPortable()};
}

void CheckTask(const MatMulTask& task) {
  FATHOM_CHECK(task.weight != nullptr);
  FATHOM_CHECK(task.x.cols() == task.weight->cols() && task.out.cols() == task.weight->rows());
  FATHOM_CHECK(task.x.rows() == task.out.rows());
}

void CountTask(const Compute& compute, const MatMulTask& task) {
  if (task.x.rows() == 0) return;
  const auto rows = static_cast<double>(task.x.rows());
  const auto in = static_cast<double>(task.weight->cols());
  const auto out = static_cast<double>(task.weight->rows());
  CountWork(compute, static_cast<double>(task.weight->bytes()) + 4 * rows * (in + out),
            2 * rows * in * out);
}

int64_t StripsOf(const MatMulTask& task, int64_t strip_panels) {
  if (task.x.rows() == 0) return 0;
  return CeilDiv(task.weight->panels(), strip_panels);
}

// The same width for all tasks, a power of two; results do not depend on it.
int64_t StripPanels(std::span<const MatMulTask> tasks, int threads) {
  int64_t panels = 0;
  for (const MatMulTask& task : tasks) panels += task.x.rows() == 0 ? 0 : task.weight->panels();
  int64_t width = kMaxStripPanels;
  while (width > 1 && width * threads * kItemsPerThread > panels) width /= 2;
  return width;
}

// The panels from `first` on of a task, at most `width`.
MatMulStrip StripAt(const MatMulTask& task, int64_t first, int64_t width, PanelScales* scales) {
  const PackedMatrix& weight = *task.weight;
  const int64_t panels = std::min(width, weight.panels() - first);
  for (int64_t i = 0; i < panels; ++i) scales[i] = weight.panel_scales(first + i);
  const int64_t first_row = first * PackedMatrix::kPanelRows;
  return {.x = task.x.data(),
          .x_stride = task.x.stride(),
          .tokens = task.x.rows(),
          .out = task.out.data() + first_row,
          .out_stride = task.out.stride(),
          .rows = weight.rows() - first_row,
          .dtype = weight.dtype(),
          .codes = weight.panel(first),
          .panel_bytes = weight.panel_bytes(),
          .scales = scales,
          .panels = panels,
          .segments = weight.segments().data(),
          .segment_count = static_cast<int64_t>(weight.segments().size())};
}

// The same of a task with eight-bit weights, whose x is task `index` of `rows`.
Int8Strip Int8StripAt(const MatMulTask& task, const Int8Rows& rows, size_t index, int64_t first,
                      int64_t width) {
  const PackedMatrix& weight = *task.weight;
  const int64_t first_row = first * PackedMatrix::kPanelRows;
  return {.x = rows.codes(index),
          .x_stride = rows.stride(index),
          .x_scales = rows.scales(index),
          .tokens = task.x.rows(),
          .out = task.out.data() + first_row,
          .out_stride = task.out.stride(),
          .rows = weight.rows() - first_row,
          .codes = weight.panel(first),
          .panel_bytes = weight.panel_bytes(),
          .scales = weight.row_scales(first),
          .sums = weight.row_sums(first),
          .panels = std::min(width, weight.panels() - first)};
}

bool IsInt8(const MatMulTask& task) { return task.weight->dtype() == DType::kI8; }

}  // namespace

void MatMul(const Compute& compute, std::span<const MatMulTask> tasks) {
  MatMulWith(KernelsFor(compute.isa), compute, tasks);
}

void MatMulWith(const MatMulKernels& kernels, const Compute& compute,
                std::span<const MatMulTask> tasks) {
  for (const MatMulTask& task : tasks) {
    CheckTask(task);
    CountTask(compute, task);
  }
  if (std::ranges::any_of(tasks, IsInt8)) {
    FATHOM_CHECK(compute.int8_rows != nullptr);
    compute.int8_rows->Quantize(compute, kernels.int8.form, tasks);
  }
  const int64_t width = StripPanels(tasks, compute.pool->threads());
  int64_t items = 0;
  for (const MatMulTask& task : tasks) items += StripsOf(task, width);
  compute.pool->ParallelFor(items, [&](int64_t item, int /*thread*/) {
    size_t i = 0;
    while (item >= StripsOf(tasks[i], width)) item -= StripsOf(tasks[i++], width);
    if (IsInt8(tasks[i])) {
      kernels.int8.run(Int8StripAt(tasks[i], *compute.int8_rows, i, item * width, width));
      return;
    }
    PanelScales scales[kMaxStripPanels];
    MatMulStrip strip = StripAt(tasks[i], item * width, width, scales);
    strip.bfloat16 = compute.activations == Activations::kBfloat16;
    kernels.floats(strip);
  });
}

}  // namespace fathom
