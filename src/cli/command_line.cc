#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "cli/console.h"
#include "cli/suggest.h"

namespace fathom {

CommandLine::CommandLine(std::string_view command, std::string_view summary,
                         std::string_view examples)
    : command_(command), app_(std::string(summary), "fathom " + std::string(command)) {
  app_.footer("Examples:\n" + std::string(examples));
  app_.allow_extras();
  app_.set_help_flag("-h,--help", "Print this and exit");
  app_.get_formatter()->column_width(34);
}

void CommandLine::Positional(const std::string& name, std::string& field, const std::string& help) {
  Named(app_.add_option(name, field, help), "");
}

void CommandLine::AddList(const std::string& flag, std::vector<std::string>& field,
                          const std::string& type, const std::string& help) {
  Named(app_.add_option(flag, field, help), type)->allow_extra_args(false);
}

void CommandLine::AddSwitch(const std::string& flag, bool& field, const std::string& help) {
  app_.add_flag(flag, field, help);
}

void CommandLine::AddChoice(const std::string& flag, std::string& field,
                            std::vector<std::string> choices, const std::string& help) {
  std::string names;
  for (const std::string& choice : choices) names += (names.empty() ? "" : "|") + choice;
  const auto check = [choices = std::move(choices), names](const std::string& value) {
    const bool known = std::find(choices.begin(), choices.end(), value) != choices.end();
    return known ? std::string() : Format("'{}' is not one of {}", value, names);
  };
  Named(app_.add_option(flag, field, help), names)->check(check);
}

CLI::Option* CommandLine::Named(CLI::Option* option, const std::string& type) {
  return option->type_name(type)->option_text(type.empty() ? "" : type);
}

Result<bool> CommandLine::Parse(std::span<const std::string> args, Console& console) {
  try {
    app_.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::CallForHelp&) {
    FATHOM_OK(console.Print(app_.help()));
    return false;
  } catch (const CLI::ParseError& error) {
    return Usage(error.what());
  }
  for (const std::string& word : app_.remaining()) return NotKnown(word);
  return true;
}

Error CommandLine::Usage(std::string what, std::string fix) const {
  const std::string help = Format("`fathom {} --help` shows the flags and examples", command_);
  return BadInput(std::move(what), "", fix.empty() ? help : std::move(fix) + "; " + help);
}

Error CommandLine::NotKnown(const std::string& word) const {
  if (!word.starts_with("-")) return Usage(Format("one word too many: '{}'", word));
  std::vector<std::string> known;
  for (const CLI::Option* option : app_.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string flag = word.substr(0, word.find('='));
  const std::string closest = Closest(flag, known);
  return Usage(Format("unknown flag {}", flag),
               closest.empty() ? "" : Format("did you mean {}?", closest));
}

}  // namespace fathom
