#ifndef FATHOM_OPS_ROUTER_H_
#define FATHOM_OPS_ROUTER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/mat_view.h"

namespace fathom {

struct RouterRule {
  enum class Scores { kSigmoid, kSoftmax };
  enum class Groups { kNone, kMax, kTopTwoSum };

  Scores scores = Scores::kSigmoid;
  Groups group_score = Groups::kNone;  // kNone: no group limit
  int64_t groups = 1;
  int64_t top_groups = 1;
  bool normalize = false;
  double scale = 1;
};

// What the route of one token needs; a caller passes the same again, so that memory is asked for
// only when it is made. `experts` is the most that a call has; one call at a time.
struct RouterBuffers {
  explicit RouterBuffers(int64_t experts);

  std::vector<float> scores, choice;  // [experts]
  std::vector<float> group_scores;    // [groups]
  std::vector<int32_t> order;         // [experts] or [groups]
  std::vector<int32_t> kept;          // [top_groups]
};

// Chooses experts and their weights for each token.
//   score  = sigmoid(logit) or softmax(logits), float32
//   choice = score + bias (bias empty: choice = score); experts outside the best `top_groups`
//            groups are masked with -inf (docs/formats/deepseek.md 14), a group counting by its
//            maximum or the sum of its best two
//   experts = the top k of choice, ties to the lower id; written in ascending id
//   weight  = score (without bias); normalize: / (sum + 1e-20); then * scale
// Shapes: logits [tokens, experts], experts and weights [tokens, k], bias [experts] or empty.
void Route(const RouterRule& rule, MatView<const float> logits, std::span<const float> bias,
           MatView<int32_t> experts, MatView<float> weights, RouterBuffers& buffers);

}  // namespace fathom

#endif  // FATHOM_OPS_ROUTER_H_
