#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "base/suggest.h"
#include "cli/console.h"
#include "cli/flag_value.h"
#include "text/utf8.h"

namespace fathom {

struct CommandLine::State {
  CLI::App app;
  std::vector<const CLI::Option*> single;  // flags that are given at most once
  std::optional<Error> bad_value;          // the first
};

namespace {

CLI::Option* Named(CLI::Option* option, const std::string& type) {
  return option->type_name(type)->option_text(type);
}

// "-p,--prompt" -> "--prompt".
std::string LongName(const std::string& flags) {
  const size_t at = flags.find("--");
  return at == std::string::npos ? flags : flags.substr(at);
}

// The library's text is "--top: 1 required K missing".
std::string WithoutValue(const std::string& text) {
  return text.substr(0, text.find(':')) + " needs a value";
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

void CommandLine::AddTaken(const std::string& flags, const std::string& type,
                           const std::string& help, TakeValue take) {
  const auto keep_first = [this, name = LongName(flags),
                           take = std::move(take)](const std::string& value) {
    std::optional<Error> error = take(name, value);
    if (!state_->bad_value) state_->bad_value = std::move(error);
  };
  CLI::Option* option = state_->app.add_option_function<std::string>(flags, keep_first, help);
  // A second one is counted here, for a text that says so.
  Named(option, type)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  state_->single.push_back(option);
}

template <typename T>
void CommandLine::Add(const std::string& flags, T& field, const std::string& type,
                      const std::string& help) {
  AddTaken(
      flags, type, help,
      [this, &field](const std::string& flag, const std::string& value) -> std::optional<Error> {
        const std::optional<std::string> wrong = ReadFlag(flag, value, field);
        if (!wrong) return std::nullopt;
        return Usage(*wrong);
      });
}

void CommandLine::AddText(const std::string& flags, std::string& field, const std::string& type,
                          const std::string& help) {
  AddTaken(flags, type, help,
           [&field](const std::string& flag, const std::string& value) -> std::optional<Error> {
             field = value;
             Status status = CheckUtf8(value);
             if (status.ok()) return std::nullopt;
             return Within(flag, std::move(status).error());
           });
}

template void CommandLine::Add(const std::string&, std::string&, const std::string&,
                               const std::string&);
template void CommandLine::Add(const std::string&, int&, const std::string&, const std::string&);
template void CommandLine::Add(const std::string&, int64_t&, const std::string&,
                               const std::string&);
template void CommandLine::Add(const std::string&, double&, const std::string&, const std::string&);
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
  CLI::Option* option = Named(state_->app.add_option(flag, field, help), names)->check(check);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  state_->single.push_back(option);
}

bool CommandLine::Given(const std::string& flag) const { return state_->app.count(flag) > 0; }

Result<bool> CommandLine::Parse(std::span<const std::string> args, Console& console) {
  try {
    std::vector<std::string> words = EmptyValuesApart(args);
    std::reverse(words.begin(), words.end());  // as the library takes them
    state_->app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    FATHOM_OK(console.Print(state_->app.help()));
    return false;
  } catch (const CLI::ArgumentMismatch& error) {
    return Usage(WithoutValue(error.what()));
  } catch (const CLI::ParseError& error) {
    return Usage(error.what());
  }
  for (const std::string& word : state_->app.remaining()) return NotKnown(word);
  FATHOM_OK(CheckValues());
  return true;
}

std::vector<std::string> CommandLine::EmptyValuesApart(std::span<const std::string> args) const {
  std::vector<std::string> words;
  for (size_t i = 0; i < args.size(); ++i) {
    words.push_back(args[i]);
    if (TakesValue(args[i])) {
      if (++i < args.size()) words.push_back(args[i]);  // whatever it looks like
    } else if (args[i].starts_with("--") && args[i].ends_with('=') &&
               TakesValue(args[i].substr(0, args[i].size() - 1))) {
      words.back().pop_back();
      words.emplace_back();
    }
  }
  return words;
}

bool CommandLine::TakesValue(const std::string& word) const {
  if (!word.starts_with("-")) return false;
  const CLI::Option* option = state_->app.get_option_no_throw(word);
  return option != nullptr && option->get_expected_min() > 0;
}

Status CommandLine::CheckValues() const {
  if (state_->bad_value) return *state_->bad_value;
  for (const CLI::Option* option : state_->single) {
    if (option->count() < 2) continue;
    return Usage(
        Format("--{} is given {} times, expected once", option->get_lnames()[0], option->count()));
  }
  return Ok();
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
  const std::vector<std::string_view> views(known.begin(), known.end());
  const std::string closest = Closest(flag, views);
  return Usage(Format("unknown flag {}", flag),
               closest.empty() ? "" : Format("did you mean {}?", closest));
}

}  // namespace fathom
