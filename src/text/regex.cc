#include "text/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "base/result.h"
#include "text/utf8.h"

namespace fathom {
namespace {

PCRE2_SPTR Units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

// PCRE2's \s also holds U+180E, which left White_Space in Unicode 6.3; Oniguruma's does not.
std::string TranslatePattern(std::string_view pattern) {
  std::string out;
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '\\' || at + 1 == pattern.size()) {
      out += pattern[at];
      continue;
    }
    const char escaped = pattern[++at];
    if (escaped == 's') {
      out += "\\p{White_Space}";
    } else if (escaped == 'S') {
      out += "\\P{White_Space}";
    } else {
      out += {'\\', escaped};
    }
  }
  return out;
}

constexpr const char* kFix =
    "the tokenizer's pattern is damaged, or needs what this program's regular expressions do not "
    "have: fetch tokenizer.json again";

std::string Reason(int code) {
  std::array<PCRE2_UCHAR, 256> reason{};
  pcre2_get_error_message(code, reason.data(), reason.size());
  return reinterpret_cast<const char*>(reason.data());
}

Error CompileError(std::string_view pattern, int code, size_t offset) {
  return BadInput(Format("pattern \"{}\" does not compile: {} (at byte {} of its translation)",
                         pattern, Reason(code), offset),
                  "", kFix);
}

Error GaveUp(int code, size_t size, size_t offset) {
  return QuotesNothing(
      BadInput(Format("the tokenizer's pattern gives up at byte {} of a text of {}: {}", offset,
                      size, Reason(code)),
               "", "give a shorter text, or a tokenizer whose pattern backtracks less"));
}

}  // namespace

struct Regex::Code {
  explicit Code(pcre2_code* compiled) : pattern(compiled) {}
  ~Code() { pcre2_code_free(pattern); }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  pcre2_code* pattern;
};

struct Regex::Search::State {
  const Code* code;
  pcre2_match_data* match;
  std::string_view text;
  size_t offset = 0;
};

Regex::Regex(std::unique_ptr<Code> code) : code_(std::move(code)) {}
Regex::~Regex() = default;
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;

Result<Regex> Regex::Compile(std::string_view pattern, Syntax syntax) {
  if (ValidUtf8Prefix(pattern) != pattern.size()) return BadInput("pattern is not UTF-8", "", kFix);
  const bool literal = syntax == Syntax::kLiteral;
  const std::string text = literal ? std::string(pattern) : TranslatePattern(pattern);
  const uint32_t options = PCRE2_UTF | (literal ? PCRE2_LITERAL : PCRE2_UCP | PCRE2_MULTILINE);
  pcre2_compile_context* context = pcre2_compile_context_create(nullptr);
  FATHOM_CHECK(context != nullptr);
  pcre2_set_newline(context, PCRE2_NEWLINE_LF);
  int code = 0;
  size_t offset = 0;
  pcre2_code* compiled = pcre2_compile(Units(text), text.size(), options, &code, &offset, context);
  pcre2_compile_context_free(context);
  if (compiled == nullptr) return CompileError(pattern, code, offset);
  pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE);  // without it the interpreter does the same
  return Regex(std::make_unique<Code>(compiled));
}

Regex::Search::Search(const Regex& regex) {
  pcre2_match_data* match =
      pcre2_match_data_create_from_pattern(regex.code_->pattern, /*gcontext=*/nullptr);
  FATHOM_CHECK(match != nullptr);
  state_ = std::make_unique<State>(State{regex.code_.get(), match, {}, 0});
}
Regex::Search::~Search() { pcre2_match_data_free(state_->match); }

void Regex::Search::Start(std::string_view text) {
  state_->text = text;
  state_->offset = 0;
}

Result<bool> Regex::Search::Next(Match& match) {
  State& state = *state_;
  const auto run = [&](uint32_t options) {
    return pcre2_match(state.code->pattern, Units(state.text), state.text.size(), state.offset,
                       PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY | options, state.match, nullptr);
  };
  int found = run(0);
  if (found == PCRE2_ERROR_JIT_STACKLIMIT) found = run(PCRE2_NO_JIT);
  if (found == PCRE2_ERROR_NOMATCH) return false;
  if (found < 0) return GaveUp(found, state.text.size(), state.offset);
  const size_t* ends = pcre2_get_ovector_pointer(state.match);
  // Only \K inside a look-around could break it, which the engine does not compile.
  FATHOM_CHECK(ends[0] >= state.offset && ends[1] > ends[0]);
  match = {ends[0], ends[1]};
  state.offset = ends[1];
  return true;
}

}  // namespace fathom
