#include "text/text_input.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "io/file_system.h"
#include "text/utf8.h"

namespace fathom {

std::string InputName(const std::string& path) { return path == "-" ? "standard input" : path; }

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

Result<std::string> ReadTextInput(FileSystem& files, const std::string& path, int64_t limit) {
  FATHOM_TRY(std::string text, files.ReadStream(path, limit));
  if (Status status = CheckUtf8(text); !status.ok()) {
    return Within(InputName(path), std::move(status).error());
  }
  return text;
}

}  // namespace fathom
