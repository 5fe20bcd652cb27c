#ifndef FATHOM_BENCH_ENGINE_REPORT_H_
#define FATHOM_BENCH_ENGINE_REPORT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "bench/engine_speed.h"
#include "ops/ceilings.h"
#include "ops/compute.h"
#include "ops/profile.h"

namespace fathom {

// What the machine can do at most, measured beside a case.
struct MachineCeilings {
  double bytes_per_second = 0;       // read from memory by all threads
  double operations_per_second = 0;  // of the instruction that products use; 0: not known
};

MachineCeilings MeasureCeilings(const Compute& compute, PeakOf what);

struct EngineCaseResult {
  EngineCase measured = {};
  std::vector<EngineSpeed> runs = {};
  MachineCeilings ceilings = {};

  double tokens_per_second() const;  // the mean of the runs
  double deviation() const;          // their sample standard deviation; of one run 0
  // Of all runs: what was read or computed in a second, as a part of what is possible.
  double of_bandwidth() const;
  double of_peak() const;
};

// "pp512", "tg128 @ d2048": the names of llama-bench.
std::string CaseName(const EngineCase& measured);

// A line a case; a heading line.
std::string EngineTableHead();
std::string EngineTableLine(const EngineCaseResult& result);

// Where the time of a case went: by part, then by layer. What the parts leave of it is scheduling
// and sampling.
std::string ProfileTable(const EngineCaseResult& result);

Json ToJson(const EngineCaseResult& result, bool profile);

}  // namespace fathom

#endif  // FATHOM_BENCH_ENGINE_REPORT_H_
