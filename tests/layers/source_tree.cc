#include "tests/layers/source_tree.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"

namespace fathom {
namespace {

constexpr std::array<std::string_view, 9> kTextEndings = {".h",  ".cc", ".md",  ".txt", ".cmake",
                                                          ".py", ".sh", ".yml", ".json"};

bool EndsWithAny(std::string_view path) {
  return std::any_of(kTextEndings.begin(), kTextEndings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

// Scripts have no ending; what they begin with tells.
bool IsText(const std::string& path, std::string_view text) {
  return EndsWithAny(path) || text.starts_with("#!");
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The links of one line: targets of "](target)" in Markdown, "...md" in sources.
std::vector<std::string> LinksOf(const SourceFile& file, std::string_view line) {
  static const std::regex markdown(R"(\]\(([^)#: ]+)[^):]*\))");
  static const std::regex mention(R"((?:^|[\s"'`(,;])([A-Za-z0-9_][A-Za-z0-9_/.-]*\.md)\b)");
  const bool is_markdown = file.path.ends_with(".md");
  if (line.find(is_markdown ? "](" : ".md") == std::string_view::npos) return {};
  const std::string text(line);
  std::vector<std::string> links;
  for (std::sregex_iterator at(text.begin(), text.end(), is_markdown ? markdown : mention), end;
       at != end; ++at) {
    const std::filesystem::path base = is_markdown ? file.path : "";
    links.push_back((base.parent_path() / (*at)[1].str()).lexically_normal().generic_string());
  }
  return links;
}

// Markdown says where a target is; a comment may give the end of its path.
bool LeadsToFile(const SourceFile& file, const std::string& link,
                 const std::set<std::string>& paths) {
  const auto at = paths.lower_bound(link);
  if (at != paths.end() && (*at == link || at->starts_with(link + "/"))) return true;
  if (file.path.ends_with(".md")) return false;
  return std::any_of(paths.begin(), paths.end(),
                     [&](const std::string& path) { return path.ends_with("/" + link); });
}

}  // namespace

std::vector<SourceFile> ReadTree(const std::string& root, const std::vector<std::string>& folders) {
  namespace fs = std::filesystem;
  std::vector<SourceFile> files;
  auto read = [&](const fs::path& path) {
    return SourceFile{fs::relative(path, root).generic_string(), ReadFile(path)};
  };
  for (const std::string& folder : folders) {
    const fs::path start = fs::path(root) / folder;
    if (fs::is_regular_file(start)) files.push_back(read(start));
    if (!fs::is_directory(start)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(start)) {
      if (!entry.is_regular_file()) continue;
      SourceFile file = read(entry.path());
      if (IsText(file.path, file.text)) files.push_back(std::move(file));
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string_view ModuleOf(std::string_view path) {
  constexpr std::string_view kSrc = "src/";
  if (!path.starts_with(kSrc)) return {};
  path.remove_prefix(kSrc.size());
  const size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::vector<std::string> CheckFileSizes(const std::vector<SourceFile>& files, int limit) {
  std::vector<std::string> findings;
  for (const SourceFile& file : files) {
    const auto lines = static_cast<int>(Lines(file.text).size());
    if (file.path.starts_with("src/") && lines > limit) {
      findings.push_back(Format("{}:{}: a file of src has at most {} lines: find the missing noun",
                                file.path, lines, limit));
    }
  }
  return findings;
}

std::vector<std::string> CheckForbiddenWords(const std::vector<SourceFile>& files,
                                             const std::vector<std::string>& words) {
  std::vector<std::string> findings;
  for (const SourceFile& file : files) {
    int number = 0;
    for (std::string_view line : Lines(file.text)) {
      ++number;
      for (const std::string& word : words) {
        if (line.find(word) == std::string_view::npos) continue;
        findings.push_back(Format("{}:{}: holds '{}'", file.path, number, word));
      }
    }
  }
  return findings;
}

std::vector<std::string> CheckLinks(const std::vector<SourceFile>& files,
                                    const std::set<std::string>& paths) {
  std::vector<std::string> findings;
  for (const SourceFile& file : files) {
    int number = 0;
    for (std::string_view line : Lines(file.text)) {
      ++number;
      for (std::string link : LinksOf(file, line)) {
        if (link.ends_with('/')) link.pop_back();
        if (LeadsToFile(file, link, paths)) continue;
        findings.push_back(Format("{}:{}: leads to no file: {}", file.path, number, link));
      }
    }
  }
  return findings;
}

std::vector<std::string> CheckFuzzSeeds(const std::vector<SourceFile>& files,
                                        const std::set<std::string>& seed_folders) {
  std::vector<std::string> findings;
  std::set<std::string> fuzzers;
  for (const SourceFile& file : files) {
    if (ModuleOf(file.path).empty() || !file.path.ends_with("_fuzz.cc")) continue;
    const std::string name = std::filesystem::path(file.path).stem().string();
    fuzzers.insert(name);
    if (seed_folders.contains(name)) continue;
    findings.push_back(Format("{}:1: needs at least one seed in tests/fuzz/{}/", file.path, name));
  }
  for (const std::string& folder : seed_folders) {
    if (fuzzers.contains(folder)) continue;
    findings.push_back(Format("tests/fuzz/{}:1: no fuzzer src/*/{}.cc", folder, folder));
  }
  return findings;
}

}  // namespace fathom
