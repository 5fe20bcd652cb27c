#include "bench/engine_report.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "bench/engine_speed.h"
#include "ops/ceilings.h"
#include "ops/compute.h"
#include "ops/profile.h"

namespace fathom {
namespace {

using Part = Profile::Part;

double Seconds(const EngineCaseResult& result) {
  double seconds = 0;
  for (const EngineSpeed& run : result.runs) seconds += run.seconds;
  return seconds;
}

// The sums of the parts that `key` puts together, in the order in which they were first met.
std::vector<std::pair<std::string, Part>> SumsBy(
    const EngineCaseResult& result, const std::function<std::string(const Part&)>& key) {
  std::vector<std::pair<std::string, Part>> sums;
  for (const EngineSpeed& run : result.runs) {
    for (const Part& part : run.parts) {
      const std::string name = key(part);
      auto at = std::ranges::find(sums, name, &std::pair<std::string, Part>::first);
      if (at == sums.end()) at = sums.insert(at, {name, {}});
      at->second.calls += part.calls;
      at->second.seconds += part.seconds;
      at->second.bytes += part.bytes;
      at->second.operations += part.operations;
    }
  }
  return sums;
}

std::string PartKey(const Part& part) { return std::string(part.name); }
std::string LayerKey(const Part& part) {
  return part.layer == Profile::kNoLayer ? "outside the layers" : Format("layer {}", part.layer);
}

Part Total(const EngineCaseResult& result) {
  const auto sums = SumsBy(result, [](const Part&) { return std::string(); });
  return sums.empty() ? Part{} : sums[0].second;
}

double Ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

// The least time that memory and arithmetic allow, as a part of the time taken.
double OfBound(const Part& part, const MachineCeilings& ceilings) {
  const double reading = Ratio(part.bytes, ceilings.bytes_per_second);
  const double computing = Ratio(part.operations, ceilings.operations_per_second);
  return Ratio(std::max(reading, computing), part.seconds);
}

std::string ProfileLine(const std::string& name, const Part& part, const EngineCaseResult& result) {
  return Format("  {:<24}{:>10.2f}{:>8.1f}{:>9.2f}{:>10.1f}{:>9.0f}\n", name,
                1e3 * part.seconds / static_cast<double>(result.runs.size()),
                100 * Ratio(part.seconds, Seconds(result)), Ratio(part.bytes, part.seconds) / 1e9,
                Ratio(part.operations, part.seconds) / 1e9, 100 * OfBound(part, result.ceilings));
}

Json ToJson(const std::string& name, const Part& part, const EngineCaseResult& result) {
  const auto runs = static_cast<double>(result.runs.size());
  return Json::MakeObject({{"name", name},
                           {"calls", part.calls},
                           {"seconds", part.seconds / runs},
                           {"bytes", part.bytes / runs},
                           {"operations", part.operations / runs},
                           {"of_bound", OfBound(part, result.ceilings)}});
}

Json ToJson(const std::vector<std::pair<std::string, Part>>& sums, const EngineCaseResult& result) {
  Json::Array array;
  for (const auto& [name, part] : sums) array.push_back(ToJson(name, part, result));
  return array;
}

}  // namespace

MachineCeilings MeasureCeilings(const Compute& compute, PeakOf what) {
  ReadCeiling read(*compute.pool);
  const double seconds = std::min({read.Seconds(), read.Seconds(), read.Seconds()});
  return {.bytes_per_second = read.bytes() / seconds,
          .operations_per_second = PeakOperations(compute, what)};
}

double EngineCaseResult::tokens_per_second() const {
  double sum = 0;
  for (const EngineSpeed& run : runs) sum += Ratio(static_cast<double>(run.tokens), run.seconds);
  return Ratio(sum, static_cast<double>(runs.size()));
}

double EngineCaseResult::deviation() const {
  if (runs.size() < 2) return 0;
  double squares = 0;
  for (const EngineSpeed& run : runs) {
    const double off = Ratio(static_cast<double>(run.tokens), run.seconds) - tokens_per_second();
    squares += off * off;
  }
  return std::sqrt(squares / static_cast<double>(runs.size() - 1));
}

double EngineCaseResult::of_bandwidth() const {
  return Ratio(Ratio(Total(*this).bytes, Seconds(*this)), ceilings.bytes_per_second);
}

double EngineCaseResult::of_peak() const {
  return Ratio(Ratio(Total(*this).operations, Seconds(*this)), ceilings.operations_per_second);
}

std::string CaseName(const EngineCase& measured) {
  const bool prefill = measured.phase == EngineCase::Phase::kPrefill;
  const std::string depth = measured.depth == 0 ? "" : Format(" @ d{}", measured.depth);
  return Format("{}{}{}", prefill ? "pp" : "tg", measured.tokens, depth);
}

std::string EngineTableHead() {
  return "batch  test               tokens/s        ±   bandwidth        peak\n";
}

std::string EngineTableLine(const EngineCaseResult& result) {
  return Format("{:>5}  {:<16}{:>11.2f}{:>9.2f}{:>5.0f} % of {:.1f}{:>5.0f} % of {:.0f}\n",
                result.measured.batch, CaseName(result.measured), result.tokens_per_second(),
                result.deviation(), 100 * result.of_bandwidth(),
                result.ceilings.bytes_per_second / 1e9, 100 * result.of_peak(),
                result.ceilings.operations_per_second / 1e9);
}

std::string ProfileTable(const EngineCaseResult& result) {
  std::string text = Format("\n{}, batch {}            ms a run  % time     GB/s  Gop/s  % bound\n",
                            CaseName(result.measured), result.measured.batch);
  for (const auto& [name, part] : SumsBy(result, PartKey)) text += ProfileLine(name, part, result);
  const Part rest = {.seconds = Seconds(result) - Total(result).seconds};
  text += ProfileLine("scheduling and sampling", rest, result);
  for (const auto& [name, part] : SumsBy(result, LayerKey)) text += ProfileLine(name, part, result);
  return text;
}

Json ToJson(const EngineCaseResult& result, bool profile) {
  Json::Array runs;
  for (const EngineSpeed& run : result.runs) runs.push_back(Json(run.seconds));
  const EngineCase& measured = result.measured;
  Json json = Json::MakeObject(
      {{"test", CaseName(measured)},
       {"phase", measured.phase == EngineCase::Phase::kPrefill ? "prefill" : "decode"},
       {"batch", measured.batch},
       {"tokens", measured.tokens},
       {"depth", measured.depth},
       {"seconds", std::move(runs)},
       {"tokens_per_second", result.tokens_per_second()},
       {"deviation", result.deviation()},
       {"of_bandwidth", result.of_bandwidth()},
       {"of_peak", result.of_peak()},
       {"read_bytes_per_second", result.ceilings.bytes_per_second},
       {"peak_operations_per_second", result.ceilings.operations_per_second}});
  if (profile) {
    json.Set("parts", ToJson(SumsBy(result, PartKey), result));
    json.Set("layers", ToJson(SumsBy(result, LayerKey), result));
  }
  return json;
}

}  // namespace fathom
