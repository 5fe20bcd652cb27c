#include "text/text_input.h"

#include <string>
#include <utility>

#include "base/result.h"
#include "io/file_system.h"
#include "text/utf8.h"

namespace fathom {

std::string InputName(const std::string& path) { return path == "-" ? "standard input" : path; }

Result<std::string> ReadTextInput(FileSystem& files, const std::string& path) {
  FATHOM_TRY(std::string text, files.ReadStream(path));
  if (Status status = CheckUtf8(text); !status.ok()) {
    return Within(InputName(path), std::move(status).error());
  }
  return text;
}

}  // namespace fathom
