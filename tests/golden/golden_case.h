#ifndef FATHOM_TESTS_GOLDEN_GOLDEN_CASE_H_
#define FATHOM_TESTS_GOLDEN_GOLDEN_CASE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace fathom {

// Where the golden data of this run comes from.
struct GoldenSet {
  std::string folder;
  bool full = false;  // all cases and prompts; else the compact copy in tests/golden
  std::vector<std::string> cases;
};

// The folder that FATHOM_GOLDEN names, or the compact copy. Errors: the folder or one of its cases
// is absent.
Result<GoldenSet> FindGoldenSet();

struct GoldenPrompt {
  std::string id;  // "p048"
  std::vector<int32_t> tokens;
  std::string logits;          // file; empty: left out of the compact copy
  std::string routing_margin;  // file; empty: the model does not route
};

struct GoldenGreedy {
  std::string prompt;
  std::vector<int32_t> tokens;
  std::vector<double> margin;               // of each token before its runner-up
  std::vector<int32_t> mtp_draft_postnorm;  // for tokens 1, 2, ...; empty: no MTP layer
};

struct GoldenMtp {
  std::string prompt;
  std::string postnorm;  // file; empty: left out of the compact copy
};

// The error of the references' own runs in bfloat16, on the positions that can be compared.
struct Bf16Guidance {
  double margin_threshold = 0;  // positions with at least this routing margin
  double mean_abs = 0;
  double top1_agree = 1;
};

// One case: a checkpoint and what the references compute from it.
struct GoldenCase {
  std::string name;
  std::string folder;
  std::string checkpoint;
  std::vector<GoldenPrompt> prompts;
  std::vector<GoldenGreedy> greedy;
  std::vector<GoldenMtp> mtp;
  Bf16Guidance bf16;
  std::string detail_prompt;                        // of hidden, attention, ffn and routing
  int64_t first_moe_layer = -1;                     // -1: the model does not route
  std::map<std::string, std::string> detail_files;  // by kind: "hidden", "routing_experts", ...

  const GoldenPrompt& Prompt(const std::string& id) const;
  // The file of a kind, empty when the case has none or it was left out of the compact copy.
  std::string DetailFile(const std::string& kind) const;
};

GoldenCase ReadGoldenCase(const GoldenSet& set, const std::string& name);

}  // namespace fathom

#endif  // FATHOM_TESTS_GOLDEN_GOLDEN_CASE_H_
