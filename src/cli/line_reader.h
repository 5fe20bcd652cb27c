#ifndef FATHOM_CLI_LINE_READER_H_
#define FATHOM_CLI_LINE_READER_H_

#include <cstddef>
#include <string>

#include "cli/interrupt.h"

namespace fathom {

// Reads lines from a terminal or pipe, and notices Ctrl-C while it waits.
class LineReader {
 public:
  LineReader(int fd, Interrupt& interrupt) : fd_(fd), interrupt_(interrupt) {}

  enum class Event { kLine, kEnd, kInterrupted };
  // kLine: the next line without its end is in `line`; the last one may lack its end. kInterrupted:
  // what was typed so far is dropped.
  Event Next(std::string& line);

 private:
  bool TakeLine(std::string& line);
  // Waits for input; true when some arrived.
  Event Fill();

  int fd_;
  Interrupt& interrupt_;
  std::string buffer_;
  size_t searched_ = 0;  // of the buffer: no line ends in it, so a long line is looked through once
};

}  // namespace fathom

#endif  // FATHOM_CLI_LINE_READER_H_
