#ifndef FATHOM_TEXT_JINJA_NUMBERS_H_
#define FATHOM_TEXT_JINJA_NUMBERS_H_

#include <optional>
#include <string_view>

#include "base/result.h"
#include "text/jinja_value.h"

namespace fathom::jinja {

// Texts as numbers, with Python's int() and float(): space around them, a sign, digits of any
// script, single underscores between digits.

// nullopt: not an integer. Error: outside of 64 bits, where Python has no bounds.
Result<std::optional<Value>> ParseInteger(std::string_view text);
// Also "inf", "infinity" and "nan"; nullopt: not a number.
std::optional<double> ParseFloat(std::string_view text);
// Python's int() of a float: nullopt for nan, an error for what 64 bits do not hold.
Result<std::optional<Value>> Truncate(double number);

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_NUMBERS_H_
