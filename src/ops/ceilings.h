#ifndef FATHOM_OPS_CEILINGS_H_
#define FATHOM_OPS_CEILINGS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "base/thread_pool.h"
#include "ops/compute.h"

namespace fathom {

// The time of body(): of the clock on the wall, or with a pool of one thread of its own processor
// time, which a busy neighbour does not lengthen.
double SecondsOf(const ThreadPool& pool, const std::function<void()>& body);

// Reads memory on all threads as fast as a plain loop can: the ceiling of a product with one token.
class ReadCeiling {
 public:
  explicit ReadCeiling(ThreadPool& pool);
  double Seconds();
  double bytes() const { return static_cast<double>(memory_.size()) * sizeof(uint64_t); }

 private:
  ThreadPool& pool_;
  std::vector<uint64_t> memory_;
};

// Multiply-adds in registers on all threads, in operations a second, by the instruction that
// products of such weights use: the ceiling of a product with many tokens. 0 for the portable
// kernels.
enum class PeakOf { kFloatWeights, kInt8Weights };
double PeakOperations(const Compute& compute, PeakOf what = PeakOf::kFloatWeights);

}  // namespace fathom

#endif  // FATHOM_OPS_CEILINGS_H_
