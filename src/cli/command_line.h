#ifndef FATHOM_CLI_COMMAND_LINE_H_
#define FATHOM_CLI_COMMAND_LINE_H_

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/console.h"

namespace fathom {

// The flags of one command. Fields are given by reference and keep their value when their flag is
// not used; they must outlive Parse.
class CommandLine {
 public:
  // `examples`: lines shown at the end of --help.
  CommandLine(std::string_view command, std::string_view summary, std::string_view examples);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // A word without a flag.
  void Positional(const std::string& name, std::string& field, const std::string& help);
  // "--max-tokens" or "-p,--prompt"; `type` is what --help calls the value. T: std::string, int,
  // int64_t, or std::optional of double or int64_t (flag_value.h).
  template <typename T>
  void Add(const std::string& flags, T& field, const std::string& type, const std::string& help);
  // A text that goes to the model or is looked for in its answer: it has to be UTF-8.
  void AddText(const std::string& flags, std::string& field, const std::string& type,
               const std::string& help);
  // May be given several times, one value each.
  void AddList(const std::string& flag, std::vector<std::string>& field, const std::string& type,
               const std::string& help);
  void AddSwitch(const std::string& flag, bool& field, const std::string& help);
  // One of the named values.
  void AddChoice(const std::string& flag, std::string& field, std::vector<std::string> choices,
                 const std::string& help);

  // Fills the fields; false: --help was asked for and is printed. Errors (kBadInput): an unknown
  // flag, with the closest known one; a value of the wrong type or one that its field cannot hold;
  // a flag without its value, or twice; text that is not UTF-8; too many words.
  Result<bool> Parse(std::span<const std::string> args, Console& console);

  // True when the flag was given.
  bool Given(const std::string& flag) const;
  // An error of usage that names the command's help.
  Error Usage(std::string what, std::string fix = "") const;

 private:
  struct State;  // the parser library's

  // Declares a flag whose value `take` reads; what it returns is wrong with the value.
  using TakeValue =
      std::function<std::optional<Error>(const std::string& flag, const std::string& value)>;
  void AddTaken(const std::string& flags, const std::string& type, const std::string& help,
                TakeValue take);
  // "--text=" as "--text" and "": to the library it is a flag whose value is missing.
  std::vector<std::string> EmptyValuesApart(std::span<const std::string> args) const;
  bool TakesValue(const std::string& word) const;
  Error NotKnown(const std::string& word) const;
  Status CheckValues() const;

  std::string command_;
  std::unique_ptr<State> state_;
};

}  // namespace fathom

#endif  // FATHOM_CLI_COMMAND_LINE_H_
