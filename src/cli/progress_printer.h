#ifndef FATHOM_CLI_PROGRESS_PRINTER_H_
#define FATHOM_CLI_PROGRESS_PRINTER_H_

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/progress.h"
#include "cli/console.h"

namespace fathom {

// What one unit of progress is.
enum class ProgressUnit { kBytes, kTokens };

// Prints phases with rate and time left. On a terminal one line is rewritten in place, ten times a
// second at most; in a log there is a line when a phase begins, one every five seconds, and one
// when it ends:
//   [1/2] reading weights: 12.4 GiB of 641.3 GiB (1%), 1.9 GiB/s, 5 min 31 s left
// Threads: as Progress says. The clock must outlive it.
class ProgressPrinter : public Progress {
 public:
  // `write` gets the text as it is to appear, with its line ends.
  ProgressPrinter(const Clock& clock, ProgressUnit unit, bool terminal,
                  std::function<void(std::string_view)> write);
  ~ProgressPrinter() override;  // ends the line of a phase that was given up
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;

  void Begin(int number, int phases, std::string_view name, int64_t total) override;
  void Advance(int64_t amount) override;
  void End() override;

 private:
  std::string Amount(double amount) const;
  std::string Line(double seconds) const;
  std::string EndLine(double seconds) const;
  void Show(const std::string& line, bool last);

  const Clock& clock_;
  ProgressUnit unit_;
  bool terminal_;
  std::function<void(std::string_view)> write_;

  std::mutex mutex_;   // guards everything below
  bool open_ = false;  // a phase has begun and not ended
  std::string title_;
  int64_t total_ = 0;
  int64_t done_ = 0;
  double began_ = 0;
  double shown_ = 0;
};

// Prints to standard error. Clock and console must outlive it.
ProgressPrinter ConsoleProgress(const Clock& clock, Console& console, ProgressUnit unit);

// A part of a longer job: its phases have `before` others before and `after` others after them.
class PartOfJob : public Progress {
 public:
  PartOfJob(Progress& whole, int before, int after)
      : whole_(whole), before_(before), after_(after) {}

  void Begin(int number, int phases, std::string_view name, int64_t total) override {
    whole_.Begin(before_ + number, before_ + phases + after_, name, total);
  }
  void Advance(int64_t amount) override { whole_.Advance(amount); }
  void End() override { whole_.End(); }

 private:
  Progress& whole_;
  int before_;
  int after_;
};

// "3.2 s", "48 s", "5 min 31 s", "2 h 05 min".
std::string HumanSeconds(double seconds);

}  // namespace fathom

#endif  // FATHOM_CLI_PROGRESS_PRINTER_H_
