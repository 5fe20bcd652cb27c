#include "tests/layers/include_rules.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "tests/layers/source_tree.h"

namespace fathom {
namespace {

struct Include {
  int line = 0;
  std::string_view name;
  bool quoted = false;
};

std::vector<std::string> Words(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::optional<Include> ParseInclude(std::string_view line, int number) {
  constexpr std::string_view kDirective = "#include ";
  if (!line.starts_with(kDirective)) return std::nullopt;
  line.remove_prefix(kDirective.size());
  if (line.empty() || (line[0] != '"' && line[0] != '<')) return std::nullopt;
  const bool quoted = line[0] == '"';
  const size_t end = line.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return Include{number, line.substr(1, end - 1), quoted};
}

std::vector<Include> Includes(const SourceFile& file) {
  std::vector<Include> includes;
  int number = 0;
  for (std::string_view line : Lines(file.text)) {
    if (auto include = ParseInclude(line, ++number)) includes.push_back(*include);
  }
  return includes;
}

// Files that are never part of the program.
bool IsTestSide(std::string_view path) {
  constexpr std::array<std::string_view, 5> kKinds = {"_test", "_bench", "_fuzz", "_testing",
                                                      "_reference"};
  path = path.substr(0, path.rfind('.'));
  return std::any_of(kKinds.begin(), kKinds.end(),
                     [&](std::string_view kind) { return path.ends_with(kind); });
}

bool IsTestLibrary(std::string_view header) {
  return header.starts_with("gtest/") || header.starts_with("gmock/") ||
         header.starts_with("benchmark/");
}

std::string Join(const std::set<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : " ") + name;
  return joined.empty() ? "nothing" : joined;
}

// One file held against the rules.
class FileCheck {
 public:
  FileCheck(const IncludeRules& rules, const SourceFile& file, std::vector<std::string>* findings)
      : rules_(rules), file_(file), module_(ModuleOf(file.path)), findings_(findings) {}

  void Run() {
    for (const Include& include : Includes(file_)) {
      if (include.quoted) {
        CheckOwn(include);
      } else {
        CheckOutside(include);
      }
    }
  }

 private:
  void Find(const Include& include, const std::string& allowed) {
    findings_->push_back(
        Format("{}:{}: includes {}; allowed: {}", file_.path, include.line, include.name, allowed));
  }

  // The module and those it may include; `deep`: and those that they may.
  std::set<std::string> Reach(std::string_view module, bool deep) const {
    const std::set<std::string>& direct = rules_.modules.find(module)->second;
    std::set<std::string> all = direct;
    all.insert(std::string(module));
    if (!deep) return all;
    for (const std::string& below : direct) all.merge(Reach(below, true));
    return all;
  }

  void CheckOwn(const Include& include) {
    const std::string_view target = include.name.substr(0, include.name.find('/'));
    if (!rules_.modules.contains(target)) {
      return Find(include, "\"<module>/<file>\" with a module of src/LAYERS");
    }
    std::set<std::string> allowed = {"cli"};
    if (!module_.empty()) allowed = Reach(module_, IsTestSide(file_.path));
    if (!allowed.contains(std::string(target))) return Find(include, Join(allowed));
    if (IsTestSide(include.name) && !IsTestSide(file_.path)) {
      Find(include, "in files that end in _test, _bench, _fuzz, _testing or _reference only");
    }
  }

  void CheckOutside(const Include& include) {
    if (IsTestLibrary(include.name)) {
      if (!IsTestSide(file_.path)) Find(include, "in tests and benchmarks only");
      return;
    }
    for (const IncludeRules::OutsideHeader& header : rules_.outside) {
      if (!include.name.starts_with(header.prefix)) continue;
      if (!header.modules.contains(std::string(module_))) Find(include, Join(header.modules));
      return;
    }
    const bool own_of_cpp = include.name.find_first_of("./") == std::string_view::npos;
    if (!own_of_cpp)
      Find(include, "headers of C++, and those that a header line of src/LAYERS names");
  }

  const IncludeRules& rules_;
  const SourceFile& file_;
  std::string_view module_;
  std::vector<std::string>* findings_;
};

void CheckOwnHeaderFirst(const SourceFile& file, const std::set<std::string_view>& paths,
                         std::vector<std::string>* findings) {
  constexpr std::string_view kEnding = ".cc";
  if (!file.path.ends_with(kEnding)) return;
  const std::string header = file.path.substr(0, file.path.size() - kEnding.size()) + ".h";
  if (!paths.contains(header)) return;
  const std::vector<Include> includes = Includes(file);
  const std::string expected = header.substr(std::string_view("src/").size());
  if (includes.empty() || includes[0].name != expected) {
    findings->push_back(Format("{}:{}: the first include is to be \"{}\"", file.path,
                               includes.empty() ? 1 : includes[0].line, expected));
  }
}

}  // namespace

IncludeRules ParseLayers(std::string_view text, std::vector<std::string>* findings) {
  IncludeRules rules;
  int number = 0;
  for (std::string_view line : Lines(text)) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    auto find = [&](const std::string& what) {
      findings->push_back(Format("src/LAYERS:{}: {}", number, what));
    };
    const size_t colon = line.find(':');
    const bool is_header = line.starts_with("header ");
    const std::vector<std::string> head = Words(line.substr(0, is_header ? line.size() : colon));
    if (is_header ? head.size() < 3 : (colon == std::string_view::npos || head.size() != 1)) {
      find("is neither 'module: modules' nor 'header prefix modules'");
      continue;
    }
    const auto named = is_header ? std::vector<std::string>(head.begin() + 2, head.end())
                                 : Words(line.substr(colon + 1));
    for (const std::string& module : named) {
      if (!rules.modules.contains(module)) find(Format("names '{}', not listed above", module));
    }
    if (is_header) {
      rules.outside.push_back({head[1], {named.begin(), named.end()}});
    } else if (!rules.modules.try_emplace(head[0], named.begin(), named.end()).second) {
      find(Format("lists '{}' a second time", head[0]));
    }
  }
  return rules;
}

std::vector<std::string> CheckIncludes(const IncludeRules& rules,
                                       const std::vector<SourceFile>& files) {
  std::vector<std::string> findings;
  std::set<std::string_view> paths;
  for (const SourceFile& file : files) paths.insert(file.path);
  for (const SourceFile& file : files) {
    const std::string_view module = ModuleOf(file.path);
    if (!module.empty() && !rules.modules.contains(module)) {
      findings.push_back(Format("{}:1: its module '{}' is not in src/LAYERS", file.path, module));
      continue;
    }
    FileCheck(rules, file, &findings).Run();
    CheckOwnHeaderFirst(file, paths, &findings);
  }
  return findings;
}

std::vector<std::string> CheckUnusedHeaders(const IncludeRules& rules,
                                            const std::vector<SourceFile>& files) {
  const auto finding = [](std::string_view module, std::string_view header) {
    return Format("src/LAYERS: {} does not include {}: take it off its line", module, header);
  };
  std::set<std::string> unused;
  for (const IncludeRules::OutsideHeader& header : rules.outside) {
    for (const std::string& module : header.modules) unused.insert(finding(module, header.prefix));
  }
  for (const SourceFile& file : files) {
    for (const Include& include : Includes(file)) {
      for (const IncludeRules::OutsideHeader& header : rules.outside) {
        if (include.quoted || !include.name.starts_with(header.prefix)) continue;
        unused.erase(finding(ModuleOf(file.path), header.prefix));
      }
    }
  }
  return {unused.begin(), unused.end()};
}

}  // namespace fathom
