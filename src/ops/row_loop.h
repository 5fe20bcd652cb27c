#ifndef FATHOM_OPS_ROW_LOOP_H_
#define FATHOM_OPS_ROW_LOOP_H_

#include <algorithm>
#include <cstdint>

#include "base/math.h"
#include "ops/compute.h"

namespace fathom {

// Calls body(row) for each row, in this thread when there is little to do and over the pool in
// pieces of several rows otherwise. `cols` is the work of a row, in elements.
template <typename Body>
void ForEachRow(const Compute& compute, int64_t rows, int64_t cols, const Body& body) {
  constexpr int64_t kItemElements = 1 << 14;  // some microseconds, more than handing it out costs
  const int64_t rows_per_item = std::max<int64_t>(1, kItemElements / std::max<int64_t>(1, cols));
  if (rows <= rows_per_item) {
    for (int64_t r = 0; r < rows; ++r) body(r);
    return;
  }
  const int64_t items = CeilDiv(rows, rows_per_item);
  compute.pool->ParallelFor(items, [&](int64_t item, int /*thread*/) {
    const int64_t end = std::min(rows, (item + 1) * rows_per_item);
    for (int64_t r = item * rows_per_item; r < end; ++r) body(r);
  });
}

}  // namespace fathom

#endif  // FATHOM_OPS_ROW_LOOP_H_
