#ifndef FATHOM_CLI_LINE_SCORE_H_
#define FATHOM_CLI_LINE_SCORE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/json.h"
#include "cli/score_input.h"

namespace fathom {

// The teacher-forced score of one line, built from rows of logits in order of position.
class LineScore {
 public:
  // top: how many of the most likely ids to keep a position; 0: none. The item must outlive it.
  LineScore(const ScoreItem& item, int64_t top) : item_(item), top_(top) {}

  // Logits of the next position. Those of the last one predict nothing that is there.
  void AddRow(std::span<const float> logits);

  // The negated sum of the log-probabilities so far.
  double nll() const { return nll_; }
  // {"id", "ids", "logprobs", ["top",] "nll", "perplexity"}; perplexity is null for a single id.
  Json Report() const;

 private:
  const ScoreItem& item_;
  int64_t top_;
  std::vector<double> logprobs_;
  Json::Array tops_;
  double nll_ = 0;
};

}  // namespace fathom

#endif  // FATHOM_CLI_LINE_SCORE_H_
