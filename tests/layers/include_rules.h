#ifndef FATHOM_TESTS_LAYERS_INCLUDE_RULES_H_
#define FATHOM_TESTS_LAYERS_INCLUDE_RULES_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/layers/source_tree.h"

namespace fathom {

// What src/LAYERS says.
struct IncludeRules {
  // Each module and those it may include besides itself.
  std::map<std::string, std::set<std::string>, std::less<>> modules;

  // A header of the system or a third party, or a folder of them ("sys/"), and who may include it.
  struct OutsideHeader {
    std::string prefix;
    std::set<std::string> modules;
  };
  std::vector<OutsideHeader> outside;
};

// Reads the text of LAYERS. What it cannot mean goes to `findings`: a module that is named before
// it is listed, twice, or a line of another form.
IncludeRules ParseLayers(std::string_view text, std::vector<std::string>* findings);

// Holds every #include of `files` against the rules; one finding an offence, "file:line: includes
// X; allowed: ...".
//   - a module includes itself and the modules its line names, its tests also what those may
//     include; src/main.cc includes cli
//   - <name.h> and <folder/...> that are not C++'s own are listed in LAYERS and included by those
//     listed modules only
//   - *_reference.h and *_testing.h are included by tests, benchmarks and their like only
//   - x.cc beside x.h includes it first, so that x.h is seen to compile alone
std::vector<std::string> CheckIncludes(const IncludeRules& rules,
                                       const std::vector<SourceFile>& files);

// Header lines that allow a module what it does not include: "src/LAYERS: ...".
std::vector<std::string> CheckUnusedHeaders(const IncludeRules& rules,
                                            const std::vector<SourceFile>& files);

}  // namespace fathom

#endif  // FATHOM_TESTS_LAYERS_INCLUDE_RULES_H_
