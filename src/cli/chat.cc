#include "cli/chat.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/prompt.h"
#include "api/reasoning_splitter.h"
#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "cli/answer_printer.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/line_reader.h"
#include "cli/reply.h"
#include "cli/session.h"
#include "engine/engine.h"
#include "text/text_input.h"
#include "text/utf8.h"

namespace fathom {
namespace {

Json Message(std::string_view role, std::string content) {
  return Json::MakeObject({{"role", role}, {"content", std::move(content)}});
}

bool HasRole(const Json& message, std::string_view role) {
  return message.Find("role")->as_string() == role;
}

// A terminal hands over no more of a line (N_TTY_BUF_SIZE of Linux, less its end).
constexpr size_t kTerminalLine = 4095;

}  // namespace

Chat::Chat(CommandContext& context, Session& session, const std::string& system)
    : context_(context),
      session_(session),
      lines_(STDIN_FILENO, context.interrupt, kMostPromptBytes),
      system_(system),
      interactive_(isatty(STDIN_FILENO) == 1) {
  Clear();
}

Result<ExitCode> Chat::Run() {
  if (interactive_) {
    context_.console.Note("Ctrl-C stops an answer, Ctrl-D or /exit leaves, /clear begins anew.\n");
  }
  bool interrupted = false;  // the last thing that happened was a Ctrl-C at the prompt
  while (true) {
    if (interactive_) context_.console.Note("> ");
    std::string line;
    const LineReader::Event event = lines_.Next(line);
    if (event == LineReader::Event::kEnd) return ExitCode::kDone;
    if (event == LineReader::Event::kTooLong) {
      return BadInput(Format("the message has more than {} bytes", WithCommas(kMostPromptBytes)),
                      Place(), "each line is a message: send a shorter one");
    }
    if (event == LineReader::Event::kInterrupted) {
      const bool leave = interrupted || !interactive_ || context_.interrupt.ends_program();
      if (leave) return ExitCode::kInterrupted;
      interrupted = true;
      context_.console.Note("\nCtrl-C again leaves.\n");
      continue;
    }
    interrupted = false;
    if (interactive_ && line.starts_with("/")) {
      if (!Obey(line)) return ExitCode::kDone;
    } else if (!IsBlank(line)) {
      FATHOM_OK(TryTurn(line));
    }
  }
}

bool Chat::Obey(const std::string& line) {
  if (line == "/exit") return false;
  if (line == "/clear") {
    Clear();
  } else {
    context_.console.Note(Format("unknown command {}; known: /exit, /clear\n", line));
  }
  return true;
}

Status Chat::TryTurn(const std::string& line) {
  const size_t before = messages_.as_array().size();
  Status turn = Turn(line);
  if (turn.ok() || turn.error().kind != ErrorKind::kBadInput) return turn;
  if (!interactive_) return Within(Place(), std::move(turn).error());
  messages_.as_array().resize(before);
  context_.console.Note(turn.error().ToString());
  return Ok();
}

Status Chat::Turn(const std::string& line) {
  if (interactive_ && line.size() >= kTerminalLine) {
    return BadInput(Format("the terminal cut the line after {} bytes", line.size()),
                    "standard input", "give a long text with fathom run -p - < FILE");
  }
  FATHOM_OK(CheckUtf8Line(line));
  messages_.Append(Message("user", line));
  FATHOM_TRY(Prompt prompt, FittingPrompt());
  AnswerPrinter printer(context_.console);
  const auto show = [&printer](std::optional<int32_t>, const ReplyDelta& delta) {
    return printer.Show(delta);
  };
  std::string raw_text;
  FATHOM_TRY(const Reply reply,
             session_.Answer(std::move(prompt.ids), prompt.reasoning, show, &raw_text));
  FATHOM_OK(printer.End());
  context_.console.Note(reply.Summary());
  context_.console.Note(reply.Advice(session_.context_length()));
  messages_.Append(Message("assistant", std::move(raw_text)));
  if (reply.finish == FinishReason::kError) return *reply.error;
  if (reply.finish == FinishReason::kCancelled && !interactive_) {
    return Error("interrupted", "", "send the lines that are left again", ErrorKind::kInterrupted);
  }
  return Ok();
}

Result<Prompt> Chat::FittingPrompt() {
  const int64_t most = session_.max_model_len();
  FATHOM_TRY(Prompt prompt, session_.Render(messages_));
  while (static_cast<int64_t>(prompt.ids.size()) >= most) {
    const size_t before = prompt.ids.size();
    if (!DropOldestTurn()) break;
    FATHOM_TRY(prompt, session_.Render(messages_));
    context_.console.Note(
        Format("the context is full ({} of {} tokens): the oldest turn was left out, {} remain{}\n",
               before, most, prompt.ids.size(), interactive_ ? "; /clear begins anew" : ""));
  }
  return prompt;
}

// The turn being asked stays.
bool Chat::DropOldestTurn() {
  Json::Array& all = messages_.as_array();
  const auto is_user = [](const Json& message) { return HasRole(message, "user"); };
  const auto first = std::find_if(all.begin(), all.end(), is_user);
  const auto second = std::find_if(first + 1, all.end(), is_user);
  if (second == all.end()) return false;
  all.erase(first, second);
  return true;
}

std::string Chat::Place() const { return Format("standard input: line {}", lines_.line_number()); }

void Chat::Clear() {
  messages_ = Json::MakeArray();
  if (!system_.empty()) messages_.Append(Message("system", system_));
}

}  // namespace fathom
