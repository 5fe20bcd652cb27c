#ifndef FATHOM_TEXT_TEXT_INPUT_H_
#define FATHOM_TEXT_TEXT_INPUT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/file_system.h"

namespace fathom {

// Far more than a model has context for, and little enough to hold several times: a text to answer,
// texts to encode or a template, and the lines of a whole data set.
inline constexpr int64_t kMostPromptBytes = int64_t{16} << 20;
inline constexpr int64_t kMostTextBytes = int64_t{64} << 20;
inline constexpr int64_t kMostLinesBytes = int64_t{128} << 20;

// What messages call an input: its path, or "standard input" for "-".
std::string InputName(const std::string& path);

// True for a text without a word: nothing that could be answered.
bool IsBlank(std::string_view text);

// The text that a flag names: a file, a pipe, or "-" for standard input, read to its end. Errors
// (kBadInput): what cannot be read; more than `limit` bytes; bytes that are not UTF-8, with their
// place.
Result<std::string> ReadTextInput(FileSystem& files, const std::string& path, int64_t limit);

}  // namespace fathom

#endif  // FATHOM_TEXT_TEXT_INPUT_H_
