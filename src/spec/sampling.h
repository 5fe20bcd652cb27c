#ifndef FATHOM_SPEC_SAMPLING_H_
#define FATHOM_SPEC_SAMPLING_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace fathom {

// The numbers that say how the next token is chosen, as flags or a file give them; none: not given.
// engine/sampler.h has the formulas.
struct SamplingChoice {
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<int64_t> top_k;
  std::optional<double> min_p;
  std::optional<double> repetition_penalty;
  std::optional<double> presence_penalty;
  std::optional<double> frequency_penalty;
};

// One of them: its key in generation_config.json and in requests, and the values it may have.
struct SamplingField {
  std::string_view name;
  double low, high;        // both allowed
  std::string_view value;  // what --help calls it
  std::string_view help;

  // NaN is outside of every range.
  bool Allows(double number) const { return number >= low && number <= high; }
};

// Calls visit(field, sets.<field>...) for each of them: the one list that flags, --help,
// generation_config.json, defaults and range checks walk. A set is a struct that has members of
// these names: SamplingChoice, or the engine's SamplingParams.
template <typename Visit, typename... Sets>
void VisitSampling(const Visit& visit, Sets&... sets) {
  constexpr double kMostTokens = 2147483647;  // more than any vocabulary
  visit(SamplingField{"temperature", 0, 100, "T",
                      "0: always the most likely token; higher is more varied"},
        sets.temperature...);
  visit(SamplingField{"top_p", 0, 1, "P",
                      "Choose among the most likely tokens that make up P (0 to 1)"},
        sets.top_p...);
  visit(
      SamplingField{"top_k", 0, kMostTokens, "K", "Choose among the K most likely tokens; 0: all"},
      sets.top_k...);
  visit(SamplingField{"min_p", 0, 1, "P",
                      "Leave out tokens less likely than P times the most likely"},
        sets.min_p...);
  visit(SamplingField{"repetition_penalty", 0.01, 100, "R",
                      "Above 1: tokens of prompt and answer become less likely"},
        sets.repetition_penalty...);
  visit(SamplingField{"presence_penalty", -2, 2, "X", "Taken off tokens the answer has"},
        sets.presence_penalty...);
  visit(SamplingField{"frequency_penalty", -2, 2, "X",
                      "Taken off tokens, times how often the answer has them"},
        sets.frequency_penalty...);
}

}  // namespace fathom

#endif  // FATHOM_SPEC_SAMPLING_H_
