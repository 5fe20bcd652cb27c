#include "cli/command.h"

namespace fathom {

int Main(int /*argc*/, char** /*argv*/) { return 2; }

}  // namespace fathom
