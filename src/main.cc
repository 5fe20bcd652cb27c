#include "cli/command.h"

int main(int argc, char** argv) { return fathom::Main(argc, argv); }
