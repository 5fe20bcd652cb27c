#ifndef FATHOM_TESTS_CLI_CHILD_PROCESS_H_
#define FATHOM_TESTS_CLI_CHILD_PROCESS_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

// What a program left behind.
struct Outcome {
  int exit_code = -1;  // -signal when a signal ended it
  std::string out;
  std::string err;
  // Most memory it had at once: the kernel's VmHWM, pages of mapped files included. Counts from the
  // fork on, so never less than what the test's own process had then.
  int64_t peak_bytes = 0;
};

// What follows the notes on standard error, from "error:" on.
std::string ErrorIn(const Outcome& outcome);

// The fathom program as a child, driven through its standard streams. Waits end when the child
// writes or ends; a child that does neither is ended by the test's own time limit.
class Child {
 public:
  enum class Streams {
    kPipes,     // three pipes
    kTerminal,  // one pseudo-terminal, the child's controlling one, for all three
  };
  // `environment` is added to this process's own.
  Child(const std::vector<std::string>& args, Streams streams,
        const std::map<std::string, std::string>& environment = {});
  ~Child();  // kills a child that still runs
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void Write(std::string_view text);
  void CloseInput();
  void CloseOutput();  // nobody reads its standard output any more
  // Reads until standard output (the terminal) holds `text`, after what an earlier call found;
  // false: it ended without.
  bool ReadUntil(std::string_view text);
  bool ReadErrUntil(std::string_view text);
  // What was read so far.
  const std::string& err() const { return outcome_.err; }
  void Signal(int signal);
  // Reads everything and waits for the end. The outcome holds all that was ever read.
  Outcome Finish();

 private:
  bool FindIn(const std::string& stream, size_t& found, std::string_view text);
  bool ReadSome();  // from whichever stream has something; false: all ended

  pid_t pid_ = -1;
  int in_ = -1, out_ = -1, err_ = -1;
  size_t out_found_ = 0, err_found_ = 0;  // ends of what was found
  Outcome outcome_;
};

// Runs the program to its end with `input` on standard input.
Outcome RunFathom(const std::vector<std::string>& args, std::string_view input = "",
                  const std::map<std::string, std::string>& environment = {});

}  // namespace fathom

#endif  // FATHOM_TESTS_CLI_CHILD_PROCESS_H_
