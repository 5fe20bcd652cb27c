#ifndef FATHOM_CLI_CONSOLE_H_
#define FATHOM_CLI_CONSOLE_H_

#include <string_view>

#include "base/result.h"

namespace fathom {

// Gives standard streams that are closed a file that ends at once when read and cannot be written:
// else the next file opened would take their place. Before anything is opened.
void HoldStandardStreams();

// Where a command talks: results to standard output, everything else to standard error. Nothing is
// buffered, so that both keep their order on a terminal.
class Console {
 public:
  Console(int out_fd, int err_fd);

  // Writes a result. Errors (kFailed): the output could not be written; output_closed() tells
  // whether its reader went away, which is not worth a message.
  Status Print(std::string_view text);
  // Writes a note for the person. What cannot be written is lost: there is nobody to tell.
  void Note(std::string_view text);

  bool output_closed() const { return output_closed_; }
  bool out_is_terminal() const { return out_is_terminal_; }
  bool err_is_terminal() const { return err_is_terminal_; }
  // Colours and dimming are wanted on standard output: a terminal, and no NO_COLOR.
  bool styled() const { return styled_; }

 private:
  int out_fd_;
  int err_fd_;
  bool out_is_terminal_;
  bool err_is_terminal_;
  bool styled_;
  bool output_closed_ = false;
};

}  // namespace fathom

#endif  // FATHOM_CLI_CONSOLE_H_
