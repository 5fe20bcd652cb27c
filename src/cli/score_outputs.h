#ifndef FATHOM_CLI_SCORE_OUTPUTS_H_
#define FATHOM_CLI_SCORE_OUTPUTS_H_

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/console.h"
#include "cli/score_input.h"
#include "io/file_system.h"

namespace fathom {

// Everything that one run of `score` writes.
struct ScoreOutputs {
  std::string lines;        // the scores, one JSON object a line; "-": standard output
  std::string full_logits;  // folder for <id>.npy; empty: none
  bool mtp = false;         // with <id>.mtp.npy

  bool to_console() const { return lines == "-"; }
  std::string LogitsOf(const std::string& id) const;
  std::string MtpLogitsOf(const std::string& id) const;

  // A file appears whole at its Commit; standard output gets each line as it is done.
  Result<std::unique_ptr<OutputFile>> OpenLines(FileSystem& files, Console& console) const;
};

// Refuses (kBadInput) what would spoil a run, before anything is run: two things that would be
// written to one file, the input among them, files in the folder of `model`, and what cannot be
// created. Makes the folder.
Status CheckOutputs(FileSystem& files, const ScoreOutputs& outputs, const std::string& model,
                    const std::string& input, const std::vector<ScoreItem>& items);

}  // namespace fathom

#endif  // FATHOM_CLI_SCORE_OUTPUTS_H_
