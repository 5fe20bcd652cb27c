#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/layers/include_rules.h"
#include "tests/layers/source_tree.h"

namespace fathom {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// ctest runs all tests in the source folder.
std::vector<SourceFile> Sources() {
  std::vector<SourceFile> files = ReadTree(".", {"src"});
  std::erase_if(files, [](const SourceFile& file) {
    return !file.path.ends_with(".h") && !file.path.ends_with(".cc");
  });
  return files;
}

std::string LayersText() {
  std::string text;
  for (const SourceFile& file : ReadTree(".", {"src/LAYERS"})) text += file.text;
  return text;
}

constexpr std::string_view kMadeUpLayers =
    "# comment\n"
    "base :\n"
    "ops  : base\n"
    "cli  : base ops\n"
    "app  : ops\n"
    "\n"
    "header immintrin.h ops\n"
    "header sys/        base cli\n";

std::vector<std::string> CheckMadeUp(const std::vector<SourceFile>& files) {
  std::vector<std::string> findings;
  const IncludeRules rules = ParseLayers(kMadeUpLayers, &findings);
  EXPECT_THAT(findings, IsEmpty());
  return CheckIncludes(rules, files);
}

TEST(Layers, SourcesIncludeOnlyWhatLayersAllows) {
  std::vector<std::string> findings;
  const IncludeRules rules = ParseLayers(LayersText(), &findings);
  EXPECT_THAT(findings, IsEmpty());
  EXPECT_GE(rules.modules.size(), 10u);
  const std::vector<SourceFile> sources = Sources();
  EXPECT_GE(sources.size(), 30u);
  EXPECT_THAT(CheckIncludes(rules, sources), IsEmpty());
  EXPECT_THAT(CheckUnusedHeaders(rules, sources), IsEmpty());
}

TEST(Layers, AllowedIncludesAreNoFinding) {
  EXPECT_THAT(
      CheckMadeUp({
          {"src/base/a.h", "#include <sys/mman.h>\n#include <vector>\n"},
          {"src/ops/b.cc", "#include \"ops/b.h\"\n#include <immintrin.h>\n#include \"base/a.h\"\n"},
          {"src/ops/b.h", "#pragma once\n#include <span>\n"},
          {"src/ops/b_reference.h", ""},
          {"src/ops/b_test.cc", "#include <gtest/gtest.h>\n#include \"ops/b_reference.h\"\n"},
          {"src/main.cc", "#include \"cli/command.h\"\n"},
      }),
      IsEmpty());
}

TEST(Layers, EachOffenceNamesFileLineAndWhatIsAllowed) {
  struct Row {
    SourceFile file;
    std::string finding;
  };
  const std::vector<Row> rows = {
      {{"src/base/a.cc", "\n#include \"ops/b.h\"\n"},
       "src/base/a.cc:2: includes ops/b.h; allowed: base"},
      {{"src/ops/b.cc", "#include \"cli/c.h\"\n"},
       "src/ops/b.cc:1: includes cli/c.h; allowed: base ops"},
      {{"src/cli/c.cc", "#include \"c.h\"\n"},
       "src/cli/c.cc:1: includes c.h; allowed: \"<module>/<file>\" with a module of src/LAYERS"},
      {{"src/app/c.cc", "#include \"base/a.h\"\n"},
       "src/app/c.cc:1: includes base/a.h; allowed: app ops"},
      {{"src/main.cc", "#include \"ops/b.h\"\n"}, "src/main.cc:1: includes ops/b.h; allowed: cli"},
      {{"src/cli/c.cc", "#include <vector>\n#include <immintrin.h>\n"},
       "src/cli/c.cc:2: includes immintrin.h; allowed: ops"},
      {{"src/ops/b.cc", "#include <sys/mman.h>\n"},
       "src/ops/b.cc:1: includes sys/mman.h; allowed: base cli"},
      {{"src/ops/b.cc", "#include <zlib.h>\n"},
       "src/ops/b.cc:1: includes zlib.h; allowed: headers of C++, and those that a header line of "
       "src/LAYERS names"},
      {{"src/ops/b.cc", "#include <gtest/gtest.h>\n"},
       "src/ops/b.cc:1: includes gtest/gtest.h; allowed: in tests and benchmarks only"},
      {{"src/ops/b.cc", "#include \"ops/b_reference.h\"\n"},
       "src/ops/b.cc:1: includes ops/b_reference.h; allowed: in files that end in _test, _bench, "
       "_fuzz, _testing or _reference only"},
      {{"src/net/n.cc", ""}, "src/net/n.cc:1: its module 'net' is not in src/LAYERS"},
  };
  for (const Row& row : rows) EXPECT_THAT(CheckMadeUp({row.file}), ElementsAre(row.finding));
}

TEST(Layers, HeadersThatAreAllowedAndNotUsedAreNamed) {
  std::vector<std::string> findings;
  const IncludeRules rules = ParseLayers(kMadeUpLayers, &findings);
  EXPECT_THAT(CheckUnusedHeaders(rules, {{"src/ops/a.cc", "#include <immintrin.h>\n"},
                                         {"src/cli/c.cc", "#include <sys/types.h>\n"}}),
              ElementsAre("src/LAYERS: base does not include sys/: take it off its line"));
}

TEST(Layers, ASourceIncludesItsHeaderFirst) {
  EXPECT_THAT(CheckMadeUp({{"src/base/a.cc", "#include <vector>\n#include \"base/a.h\"\n"},
                           {"src/base/a.h", ""}}),
              ElementsAre("src/base/a.cc:1: the first include is to be \"base/a.h\""));
}

TEST(Layers, FilesThatCannotBeMeantAreNamed) {
  struct Row {
    std::string text;
    std::string finding;
  };
  const std::vector<Row> rows = {
      {"base : ops\nops :\n", "src/LAYERS:1: names 'ops', not listed above"},
      {"base :\nbase :\n", "src/LAYERS:2: lists 'base' a second time"},
      {"base\n", "src/LAYERS:1: is neither 'module: modules' nor 'header prefix modules'"},
      {"header x.h\n", "src/LAYERS:1: is neither 'module: modules' nor 'header prefix modules'"},
      {"header x.h net\n", "src/LAYERS:1: names 'net', not listed above"},
  };
  for (const Row& row : rows) {
    std::vector<std::string> findings;
    ParseLayers(row.text, &findings);
    EXPECT_THAT(findings, ElementsAre(row.finding));
  }
}

TEST(FileSizes, SourcesAreNotLong) { EXPECT_THAT(CheckFileSizes(Sources(), 500), IsEmpty()); }

TEST(FileSizes, ALongSourceIsNamed) {
  EXPECT_THAT(
      CheckFileSizes({{"src/base/a.cc", "1\n2\n3\n"}, {"tests/b.cc", "1\n2\n3\n"}}, 2),
      ElementsAre("src/base/a.cc:3: a file of src has at most 2 lines: find the missing noun"));
}

// A clone should stay small: what only the full golden set needs is not in the repository.
TEST(GoldenData, TheCompactCopyIsAtMostTenMegabytes) {
  std::uintmax_t bytes = 0;
  for (const auto& folder : std::filesystem::directory_iterator("tests/golden")) {
    if (!folder.is_directory()) continue;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
      if (file.is_regular_file()) bytes += file.file_size();
    }
  }
  EXPECT_GT(bytes, 1'000'000U);
  EXPECT_LE(bytes, 10'000'000U);
}

// A dot is in each word, so that this file does not hold it.
TEST(Words, NoFileHoldsAForbiddenOne) {
  std::vector<std::string> words;
  for (const std::string half : {"/wo.rk/", "TO.DO", "FIX.ME"}) {
    words.push_back(std::string(half).erase(half.find('.'), 1));
  }
  EXPECT_THAT(
      CheckForbiddenWords(ReadTree(".", {"src", "tests/layers", "cmake", "scripts", "tools", "docs",
                                         ".ci", "README.md", "CONTRIBUTING.md", "CMakeLists.txt"}),
                          words),
      IsEmpty());
}

TEST(Words, AForbiddenOneIsNamedWithItsLine) {
  EXPECT_THAT(CheckForbiddenWords({{"docs/a.md", "good\nbad word\n"}}, {"bad"}),
              ElementsAre("docs/a.md:2: holds 'bad'"));
}

TEST(Links, LeadToFiles) {
  const std::vector<SourceFile> texts =
      ReadTree(".", {"README.md", "CONTRIBUTING.md", "docs", "src", "models", "tools",
                     "tests/golden", "tests/cli"});
  std::set<std::string> paths = {"LICENSE"};
  for (const SourceFile& file : texts) paths.insert(file.path);
  EXPECT_THAT(CheckLinks(texts, paths), IsEmpty());
}

TEST(Links, ThoseThatLeadNowhereAreNamed) {
  const std::vector<SourceFile> files = {
      {"docs/a.md", "[b](b.md) [c](../README.md#top) [d](https://example.org/d.md)\n[e](sub/)"},
      {"docs/sub/f.md", ""},
      {"README.md", "x [a](docs/a.md)"},
      {"src/base/a.h",
       "// docs/a.md, docs/none.md\n// (f.md) sub/f.md; none.md https://example.org/d.md\n"},
  };
  EXPECT_THAT(CheckLinks(files, {"docs/a.md", "docs/sub/f.md", "README.md"}),
              ElementsAre("docs/a.md:1: leads to no file: docs/b.md",
                          "src/base/a.h:1: leads to no file: docs/none.md",
                          "src/base/a.h:2: leads to no file: none.md"));
}

std::set<std::string> SeedFolders() {
  std::set<std::string> folders;
  if (!std::filesystem::is_directory("tests/fuzz")) return folders;
  for (const auto& entry : std::filesystem::directory_iterator("tests/fuzz")) {
    if (entry.is_directory() && !std::filesystem::is_empty(entry.path())) {
      folders.insert(entry.path().filename().string());
    }
  }
  return folders;
}

TEST(FuzzSeeds, EveryFuzzerHasSeedsAndEverySeedFolderAFuzzer) {
  EXPECT_THAT(CheckFuzzSeeds(Sources(), SeedFolders()), IsEmpty());
}

TEST(FuzzSeeds, WhatIsMissingIsNamed) {
  EXPECT_THAT(
      CheckFuzzSeeds({{"src/io/a_fuzz.cc", ""}, {"src/io/b_fuzz.cc", ""}}, {"a_fuzz", "c_fuzz"}),
      ElementsAre("src/io/b_fuzz.cc:1: needs at least one seed in tests/fuzz/b_fuzz/",
                  "tests/fuzz/c_fuzz:1: no fuzzer src/*/c_fuzz.cc"));
}

}  // namespace
}  // namespace fathom
