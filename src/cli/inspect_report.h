#ifndef FATHOM_CLI_INSPECT_REPORT_H_
#define FATHOM_CLI_INSPECT_REPORT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "spec/model_config.h"
#include "spec/summary.h"
#include "tensor/dtype.h"
#include "weights/checkpoint.h"
#include "weights/tensor_problem.h"

namespace fathom {

// What `fathom inspect` says about a checkpoint.
struct InspectReport {
  std::string folder;
  ModelConfig config;
  ModelSummary summary;                     // of what is stored
  std::map<DType, ComponentSize> by_dtype;  // tensors, elements and bytes of each type
  int64_t files = 0;
  int64_t bytes = 0;     // of all tensors
  bool has_mtp = false;  // the MTP layers named by the configuration are there
  bool has_tokenizer = false;
  std::vector<Error> left_out;          // files that are missing or damaged
  std::vector<TensorProblem> problems;  // all tensors that do not fit
  std::string fix;                      // of the first problem

  bool whole() const { return left_out.empty() && problems.empty(); }
  Json ToJson() const;
  std::string ToText() const;
};

// Uses headers only. `left_out`: what Checkpoint::OpenWhatIsThere found wrong.
InspectReport MakeInspectReport(const Checkpoint& checkpoint, const std::vector<Error>& left_out,
                                bool has_tokenizer);

}  // namespace fathom

#endif  // FATHOM_CLI_INSPECT_REPORT_H_
