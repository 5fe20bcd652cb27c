#ifndef FATHOM_CLI_MODEL_SOURCE_H_
#define FATHOM_CLI_MODEL_SOURCE_H_

#include <string>

#include "base/result.h"
#include "io/file_system.h"

namespace fathom {

// The folder of the demo model that comes with Fathom: FATHOM_DEMO_MODEL when it is set and not
// empty; else beside the program, in the source tree it was built in or where it was installed.
// Errors (kBadInput) name every place that was looked at.
Result<std::string> FindDemoModel(FileSystem& files);

}  // namespace fathom

#endif  // FATHOM_CLI_MODEL_SOURCE_H_
