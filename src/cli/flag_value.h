#ifndef FATHOM_CLI_FLAG_VALUE_H_
#define FATHOM_CLI_FLAG_VALUE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fathom {

// Turns the value of a flag into what its field holds; the whole text has to be the value. What is
// wrong comes back as text ("--seed: 'abc' is not a whole number"); std::nullopt: nothing is. A
// number that its field cannot hold is refused, never cut.
std::optional<std::string> ReadFlag(std::string_view flag, const std::string& text,
                                    std::string& field);
std::optional<std::string> ReadFlag(std::string_view flag, const std::string& text, int& field);
std::optional<std::string> ReadFlag(std::string_view flag, const std::string& text, int64_t& field);
std::optional<std::string> ReadFlag(std::string_view flag, const std::string& text, double& field);

template <typename T>
std::optional<std::string> ReadFlag(std::string_view flag, const std::string& text,
                                    std::optional<T>& field) {
  return ReadFlag(flag, text, field.emplace());
}

}  // namespace fathom

#endif  // FATHOM_CLI_FLAG_VALUE_H_
