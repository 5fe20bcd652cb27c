#ifndef FATHOM_TESTS_LAYERS_SOURCE_TREE_H_
#define FATHOM_TESTS_LAYERS_SOURCE_TREE_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

// A file of the repository, its path relative to the repository's root with '/' between.
struct SourceFile {
  std::string path;
  std::string text;
};

// The text files of the repository below `folders`, and the single files they name, sorted by path.
// Below a folder, weights and other binary files are left out.
std::vector<SourceFile> ReadTree(const std::string& root, const std::vector<std::string>& folders);

// The lines of a text, without their ends.
std::vector<std::string_view> Lines(std::string_view text);

// "src/ops/rope.h" -> "ops"; "" for what lies in no module.
std::string_view ModuleOf(std::string_view path);

// The rules below return one line a finding: "<file>:<line>: <what is wrong and what is allowed>".

// Files of src of more than `limit` lines.
std::vector<std::string> CheckFileSizes(const std::vector<SourceFile>& files, int limit);

// Lines that hold one of `words`.
std::vector<std::string> CheckForbiddenWords(const std::vector<SourceFile>& files,
                                             const std::vector<std::string>& words);

// Relative links of Markdown files, and mentions of Markdown files in sources, that lead to no file
// of `paths`.
std::vector<std::string> CheckLinks(const std::vector<SourceFile>& files,
                                    const std::set<std::string>& paths);

// Fuzzers src/<module>/<name>.cc without a seed file in tests/fuzz/<name>/, and seed folders
// without a fuzzer. `seed_folders` are those that hold at least one file.
std::vector<std::string> CheckFuzzSeeds(const std::vector<SourceFile>& files,
                                        const std::set<std::string>& seed_folders);

}  // namespace fathom

#endif  // FATHOM_TESTS_LAYERS_SOURCE_TREE_H_
