#include "io/temp_folder_testing.h"

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/check.h"
#include "io/file_system.h"

namespace fathom {

TempFolder::TempFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "fathom_test_XXXXXX").string();
  FATHOM_CHECK(::mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TempFolder::~TempFolder() {
  namespace fs = std::filesystem;
  std::error_code error;  // a test may have taken away the right to write
  fs::permissions(path_, fs::perms::owner_all, fs::perm_options::add, error);
  for (fs::recursive_directory_iterator at(path_, error), end; !error && at != end;
       at.increment(error)) {
    if (at->is_directory(error) && !at->is_symlink(error)) {
      fs::permissions(at->path(), fs::perms::owner_all, fs::perm_options::add, error);
    }
  }
  fs::remove_all(path_, error);
}

std::string TempFolder::operator/(std::string_view name) const { return JoinPath(path_, name); }

}  // namespace fathom
