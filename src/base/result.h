#ifndef FATHOM_BASE_RESULT_H_
#define FATHOM_BASE_RESULT_H_

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace fathom {

// What kind of failure it is; it decides the exit code of a command (docs/ARCHITECTURE.md, "Exit
// codes").
enum class ErrorKind {
  kBadInput,     // wrong usage or bad input, nothing was changed: exit code 2
  kFailed,       // failed while running: exit code 3
  kDoesNotFit,   // memory or disk: exit code 4
  kInterrupted,  // by the person: exit code 130
};

// A failure in three parts a person can act on:
//   what   what failed, with the values that were met and expected
//   where  outermost first: "run: /models/r1/config.json: /rope_scaling/factor"; may be empty where
//          callers add it
//   fix    what to do about it. There is no error without one: no constructor leaves it out, and an
//          empty one is a bug of whoever made it (CHECK).
struct Error {
  Error(std::string what, std::string where, std::string fix, ErrorKind kind);

  std::string what;
  std::string where;
  std::string fix;
  ErrorKind kind;
  // `what` for logs that people read whose text it is not: without what it quotes of the input. ""
  // where nobody said that it quotes nothing.
  std::string unquoted = {};

  // "error: <what>\n  where: <where>\n  fix: <fix>\n"; an empty where is left out.
  std::string ToString() const;
};

// Puts `outer` in front of error.where: callers add where they were.
Error Within(std::string outer, Error error);

// Says of an error that `what` quotes nothing of its input.
inline Error QuotesNothing(Error error) {
  error.unquoted = error.what;
  return error;
}

inline Error BadInput(std::string what, std::string where, std::string fix) {
  return {std::move(what), std::move(where), std::move(fix), ErrorKind::kBadInput};
}
inline Error Failed(std::string what, std::string where, std::string fix) {
  return {std::move(what), std::move(where), std::move(fix), ErrorKind::kFailed};
}
inline Error DoesNotFit(std::string what, std::string where, std::string fix) {
  return {std::move(what), std::move(where), std::move(fix), ErrorKind::kDoesNotFit};
}

// A value, or the error that took its place. Reading the wrong one is a bug of the caller (CHECK).
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  T& value() & {
    FATHOM_CHECK(ok());
    return std::get<T>(state_);
  }
  const T& value() const& {
    FATHOM_CHECK(ok());
    return std::get<T>(state_);
  }
  T&& value() && {
    FATHOM_CHECK(ok());
    return std::get<T>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& {
    FATHOM_CHECK(!ok());
    return std::get<Error>(state_);
  }
  Error&& error() && {
    FATHOM_CHECK(!ok());
    return std::get<Error>(std::move(state_));
  }

 private:
  std::variant<T, Error> state_;
};

// Success, or an error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return !error_.has_value(); }
  const Error& error() const& {
    FATHOM_CHECK(error_.has_value());
    return *error_;
  }
  Error&& error() && {
    FATHOM_CHECK(error_.has_value());
    return *std::move(error_);
  }

 private:
  std::optional<Error> error_;
};

inline Status Ok() { return {}; }

}  // namespace fathom

#define FATHOM_CONCAT_INNER(a, b) a##b
#define FATHOM_CONCAT(a, b) FATHOM_CONCAT_INNER(a, b)

// FATHOM_TRY(auto x, MakeX());  -- x is the value, or the enclosing function returns the error.
#define FATHOM_TRY(declaration, expression) \
  FATHOM_TRY_IMPL(FATHOM_CONCAT(try_result_, __LINE__), declaration, expression)
#define FATHOM_TRY_IMPL(temporary, declaration, expression) \
  auto temporary = (expression);                            \
  if (!temporary.ok()) return std::move(temporary).error(); \
  declaration = std::move(temporary).value()

// FATHOM_OK(DoIt());  -- goes on, or the enclosing function returns the error.
#define FATHOM_OK(expression)                                                                \
  do {                                                                                       \
    if (auto ok_status = (expression); !ok_status.ok()) return std::move(ok_status).error(); \
  } while (false)

#endif  // FATHOM_BASE_RESULT_H_
