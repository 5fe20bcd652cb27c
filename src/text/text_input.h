#ifndef FATHOM_TEXT_TEXT_INPUT_H_
#define FATHOM_TEXT_TEXT_INPUT_H_

#include <string>

#include "base/result.h"
#include "io/file_system.h"

namespace fathom {

// What messages call an input: its path, or "standard input" for "-".
std::string InputName(const std::string& path);

// The text that a flag names: a file, a pipe, or "-" for standard input, read to its end. Errors
// (kBadInput): what cannot be read; bytes that are not UTF-8, with their place.
Result<std::string> ReadTextInput(FileSystem& files, const std::string& path);

}  // namespace fathom

#endif  // FATHOM_TEXT_TEXT_INPUT_H_
