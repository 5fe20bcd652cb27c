#ifndef FATHOM_CLI_CHAT_H_
#define FATHOM_CLI_CHAT_H_

#include <string>

#include "api/prompt.h"
#include "base/json.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/line_reader.h"
#include "cli/session.h"

namespace fathom {

// A conversation over standard input: each line is a message, its answer is printed while it
// appears. On a terminal a line that begins with "/" is a command; in a pipe it is a message like
// any other. On a terminal Ctrl-C stops an answer; at the prompt a second one in a row leaves
// (130), as Ctrl-D and /exit do (0). With a pipe it ends everything (130). When the context is full
// the oldest turns are left out, and it says so.
class Chat {
 public:
  Chat(CommandContext& context, Session& session, const std::string& system);

  Result<ExitCode> Run();

 private:
  // A command; false: leave.
  bool Obey(const std::string& line);
  // One message and its answer; on a terminal a bad one is told and forgotten.
  Status TryTurn(const std::string& line);
  Status Turn(const std::string& line);
  // The conversation's prompt, after leaving out what does not fit.
  Result<Prompt> FittingPrompt();
  bool DropOldestTurn();
  std::string Place() const;  // of the last line, for messages
  void Clear();

  CommandContext& context_;
  Session& session_;
  LineReader lines_;
  std::string system_;
  Json messages_;
  bool interactive_;
};

}  // namespace fathom

#endif  // FATHOM_CLI_CHAT_H_
