#ifndef FATHOM_BASE_GOLDEN_FOLDER_TESTING_H_
#define FATHOM_BASE_GOLDEN_FOLDER_TESTING_H_

#include <optional>
#include <string>

namespace fathom {

// The folder of the full golden data that FATHOM_GOLDEN names; none when it is not set or empty.
std::optional<std::string> FullGoldenFolder();
// That, or the compact copy in tests/golden of the working directory.
std::string GoldenFolder();

}  // namespace fathom

#endif  // FATHOM_BASE_GOLDEN_FOLDER_TESTING_H_
