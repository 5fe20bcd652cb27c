#ifndef FATHOM_TEXT_REGEX_H_
#define FATHOM_TEXT_REGEX_H_

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace fathom {

// A compiled pattern with the meaning that the tokenizers library's engine (Oniguruma) gives it:
// Unicode classes, `\s` is White_Space, `^` and `$` are ends of lines. Runs on PCRE2 with its JIT.
class Regex {
 public:
  enum class Syntax { kPattern, kLiteral };

  // Errors (kBadInput) quote the pattern and the engine's reason with its offset.
  static Result<Regex> Compile(std::string_view pattern, Syntax syntax);
  ~Regex();
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;

  struct Match {
    size_t begin = 0;
    size_t end = 0;
  };
  // Walks over the matches in one text after another. The Regex must outlive it and may be shared
  // between threads; a Search may not.
  class Search {
   public:
    explicit Search(const Regex& regex);
    ~Search();
    Search(const Search&) = delete;
    Search& operator=(const Search&) = delete;
    // Begins a text, which must be valid UTF-8 and outlive the walk.
    void Start(std::string_view text);
    // The next match that is not empty; false at the end. Error (kBadInput): the engine gives up,
    // as it does on patterns that backtrack without end; it has the place and the reason.
    Result<bool> Next(Match& match);

   private:
    struct State;
    std::unique_ptr<State> state_;
  };

 private:
  struct Code;
  explicit Regex(std::unique_ptr<Code> code);
  std::unique_ptr<Code> code_;
};

}  // namespace fathom

#endif  // FATHOM_TEXT_REGEX_H_
