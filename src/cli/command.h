#ifndef FATHOM_CLI_COMMAND_H_
#define FATHOM_CLI_COMMAND_H_

namespace fathom {

// The whole program: parses the command line, runs one command, returns its exit code: 0 done, 1 a
// check or comparison failed, 2 wrong usage or bad input, 3 failed while running, 4 does not fit,
// 130 interrupted.
int Main(int argc, char** argv);

}  // namespace fathom

#endif  // FATHOM_CLI_COMMAND_H_
