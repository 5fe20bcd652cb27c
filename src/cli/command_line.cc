#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "cli/console.h"
#include "cli/suggest.h"

namespace fathom {

struct CommandLine::State {
  CLI::App app;
};

namespace {

CLI::Option* Named(CLI::Option* option, const std::string& type) {
  return option->type_name(type)->option_text(type);
}

}  // namespace

CommandLine::CommandLine(std::string_view command, std::string_view summary,
                         std::string_view examples)
    : command_(command), state_(std::make_unique<State>()) {
  CLI::App& app = state_->app;
  app.description(std::string(summary));
  app.name("fathom " + command_);
  app.footer("Examples:\n" + std::string(examples));
  app.allow_extras();
  app.set_help_flag("-h,--help", "Print this and exit");
  app.get_formatter()->column_width(34);
}

CommandLine::~CommandLine() = default;

void CommandLine::Positional(const std::string& name, std::string& field, const std::string& help) {
  Named(state_->app.add_option(name, field, help), "");
}

template <typename T>
void CommandLine::Add(const std::string& flags, T& field, const std::string& type,
                      const std::string& help) {
  Named(state_->app.add_option(flags, field, help), type);
}

template void CommandLine::Add(const std::string&, std::string&, const std::string&,
                               const std::string&);
template void CommandLine::Add(const std::string&, int&, const std::string&, const std::string&);
template void CommandLine::Add(const std::string&, int64_t&, const std::string&,
                               const std::string&);
template void CommandLine::Add(const std::string&, std::optional<double>&, const std::string&,
                               const std::string&);
template void CommandLine::Add(const std::string&, std::optional<int64_t>&, const std::string&,
                               const std::string&);
void CommandLine::AddList(const std::string& flag, std::vector<std::string>& field,
                          const std::string& type, const std::string& help) {
  Named(state_->app.add_option(flag, field, help), type)->allow_extra_args(false);
}

void CommandLine::AddSwitch(const std::string& flag, bool& field, const std::string& help) {
  state_->app.add_flag(flag, field, help);
}

void CommandLine::AddChoice(const std::string& flag, std::string& field,
                            std::vector<std::string> choices, const std::string& help) {
  std::string names;
  for (const std::string& choice : choices) names += (names.empty() ? "" : "|") + choice;
  const auto check = [choices = std::move(choices), names](const std::string& value) {
    const bool known = std::find(choices.begin(), choices.end(), value) != choices.end();
    return known ? std::string() : Format("'{}' is not one of {}", value, names);
  };
  Named(state_->app.add_option(flag, field, help), names)->check(check);
}

bool CommandLine::Given(const std::string& flag) const { return state_->app.count(flag) > 0; }

Result<bool> CommandLine::Parse(std::span<const std::string> args, Console& console) {
  try {
    state_->app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::CallForHelp&) {
    FATHOM_OK(console.Print(state_->app.help()));
    return false;
  } catch (const CLI::ParseError& error) {
    return Usage(error.what());
  }
  for (const std::string& word : state_->app.remaining()) return NotKnown(word);
  return true;
}

Error CommandLine::Usage(std::string what, std::string fix) const {
  const std::string help = Format("`fathom {} --help` shows the flags and examples", command_);
  return BadInput(std::move(what), "", fix.empty() ? help : std::move(fix) + "; " + help);
}

Error CommandLine::NotKnown(const std::string& word) const {
  if (!word.starts_with("-")) return Usage(Format("one word too many: '{}'", word));
  std::vector<std::string> known;
  for (const CLI::Option* option : state_->app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string flag = word.substr(0, word.find('='));
  const std::string closest = Closest(flag, known);
  return Usage(Format("unknown flag {}", flag),
               closest.empty() ? "" : Format("did you mean {}?", closest));
}

}  // namespace fathom
