#ifndef FATHOM_CLI_LINE_READER_H_
#define FATHOM_CLI_LINE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/interrupt.h"

namespace fathom {

// Reads lines from a terminal or pipe, and notices Ctrl-C while it waits.
class LineReader {
 public:
  // A line has at most `most_bytes`.
  LineReader(int fd, Interrupt& interrupt, size_t most_bytes)
      : fd_(fd), interrupt_(interrupt), most_bytes_(most_bytes) {}

  enum class Event { kLine, kEnd, kInterrupted, kTooLong };
  // kLine: the next line without its end is in `line`; the last one may lack its end. kInterrupted:
  // what was typed so far is dropped. kTooLong: the line has more bytes; nothing follows it, as it
  // may not end.
  Event Next(std::string& line);

  // Of the last line, from 1 on.
  int64_t line_number() const { return line_number_; }

 private:
  Event NextPiece(std::string& line);
  bool TakeLine(std::string& line);
  // Waits for input; true when some arrived.
  Event Fill();

  int fd_;
  Interrupt& interrupt_;
  size_t most_bytes_;
  int64_t line_number_ = 0;
  std::string buffer_;
  size_t searched_ = 0;  // of the buffer: no line ends in it, so a long line is looked through once
};

}  // namespace fathom

#endif  // FATHOM_CLI_LINE_READER_H_
