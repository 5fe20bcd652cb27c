#include "cli/progress_printer.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/format.h"
#include "cli/console.h"

namespace fathom {
namespace {

constexpr double kTerminalSeconds = 0.1;
constexpr double kLogSeconds = 5;

}  // namespace

std::string HumanSeconds(double seconds) {
  if (seconds < 9.95) return Format("{:.1f} s", seconds);
  const int64_t whole = std::llround(seconds);
  if (whole < 60) return Format("{} s", whole);
  if (whole < 3600) return Format("{} min {:02} s", whole / 60, whole % 60);
  return Format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

ProgressPrinter::ProgressPrinter(const Clock& clock, ProgressUnit unit, bool terminal,
                                 std::function<void(std::string_view)> write)
    : clock_(clock), unit_(unit), terminal_(terminal), write_(std::move(write)) {}

ProgressPrinter::~ProgressPrinter() {
  if (open_ && terminal_) write_("\n");
}

ProgressPrinter ConsoleProgress(const Clock& clock, Console& console, ProgressUnit unit) {
  return ProgressPrinter(clock, unit, console.err_is_terminal(),
                         [&console](std::string_view text) { console.Note(text); });
}

void ProgressPrinter::Begin(int number, int phases, std::string_view name, int64_t total) {
  const std::lock_guard lock(mutex_);
  open_ = true;
  title_ = Format("[{}/{}] {}", number, phases, name);
  total_ = total;
  done_ = 0;
  began_ = shown_ = clock_.Seconds();
  const std::string of =
      total > 0 ? ": " + Amount(static_cast<double>(total)) : std::string(" ...");
  Show(title_ + of, false);
}

void ProgressPrinter::Advance(int64_t amount) {
  const std::lock_guard lock(mutex_);
  done_ += amount;
  const double now = clock_.Seconds();
  if (now - shown_ < (terminal_ ? kTerminalSeconds : kLogSeconds)) return;
  shown_ = now;
  Show(Line(now - began_), false);
}

void ProgressPrinter::End() {
  const std::lock_guard lock(mutex_);
  open_ = false;
  Show(EndLine(clock_.Seconds() - began_), true);
}

std::string ProgressPrinter::Amount(double amount) const {
  const auto whole = static_cast<int64_t>(amount);
  return unit_ == ProgressUnit::kBytes ? HumanBytes(whole) : WithCommas(whole) + " tokens";
}

std::string ProgressPrinter::Line(double seconds) const {
  const auto done = static_cast<double>(done_);
  const double rate = seconds > 0 ? done / seconds : 0;
  if (total_ <= 0) return Format("{}: {}, {}/s", title_, Amount(done), Amount(rate));
  const auto total = static_cast<double>(total_);
  std::string line = Format("{}: {} of {} ({:.0f}%), {}/s", title_, Amount(done), Amount(total),
                            std::floor(100 * done / total), Amount(rate));
  if (rate > 0 && done < total) line += ", " + HumanSeconds((total - done) / rate) + " left";
  return line;
}

std::string ProgressPrinter::EndLine(double seconds) const {
  const auto done = static_cast<double>(done_);
  std::string line = Format("{}: {} in {}", title_, Amount(done), HumanSeconds(seconds));
  if (done_ == 0) line = Format("{}: {}", title_, HumanSeconds(seconds));
  if (done_ > 0 && seconds > 0) line += Format(" ({}/s)", Amount(done / seconds));
  return line;
}

void ProgressPrinter::Show(const std::string& line, bool last) {
  if (!terminal_) return write_(line + "\n");
  write_("\r" + line + "\x1b[K" + (last ? "\n" : ""));
}

}  // namespace fathom
