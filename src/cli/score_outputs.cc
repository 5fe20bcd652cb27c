#include "cli/score_outputs.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "cli/console.h"
#include "cli/score_input.h"
#include "io/file_system.h"

namespace fathom {
namespace {

class ConsoleLines : public OutputFile {
 public:
  explicit ConsoleLines(Console& console) : console_(console) {}
  using OutputFile::Append;
  Status Append(std::span<const std::byte> data) override {
    return console_.Print({reinterpret_cast<const char*>(data.data()), data.size()});
  }
  Status Commit() override { return Ok(); }

 private:
  Console& console_;
};

// File names in the folder of logits, each with what is written there.
using Claims = std::map<std::string, std::string>;

Status Claim(Claims& claims, const std::string& path, const std::string& owner) {
  const auto [at, is_new] = claims.emplace(ResolvedPath(path), owner);
  if (is_new) return Ok();
  return BadInput(Format("{} and {} would be written to the same file", at->second, owner), path,
                  "rename one of the two ids");
}

Result<Claims> LogitFiles(const ScoreOutputs& outputs, const std::vector<ScoreItem>& items) {
  Claims claims;
  if (outputs.full_logits.empty()) return claims;
  for (const ScoreItem& item : items) {
    FATHOM_OK(Claim(claims, outputs.LogitsOf(item.id), Format("the logits of id '{}'", item.id)));
    if (!outputs.mtp) continue;
    FATHOM_OK(
        Claim(claims, outputs.MtpLogitsOf(item.id), Format("the MTP logits of id '{}'", item.id)));
  }
  return claims;
}

Status CheckNotClaimed(const Claims& claims, std::string_view flag, const std::string& path) {
  if (path == "-") return Ok();
  const auto at = claims.find(ResolvedPath(path));
  if (at == claims.end()) return Ok();
  return BadInput(Format("{} is the file that {} would be written to", flag, at->second), path,
                  "name another file, or another folder for --full-logits");
}

Status CheckSparesModel(std::string_view flag, const std::string& named, const std::string& folder,
                        const std::string& model) {
  if (!SamePlace(folder, model)) return Ok();
  return BadInput(Format("{} would be written among the files of the model", flag), named,
                  "write to another folder");
}

Status CheckSparesModel(const ScoreOutputs& outputs, const std::string& model) {
  if (!outputs.to_console()) {
    const std::string folder = std::filesystem::path(ResolvedPath(outputs.lines)).parent_path();
    FATHOM_OK(CheckSparesModel("--output", outputs.lines, folder, model));
  }
  if (outputs.full_logits.empty()) return Ok();
  return CheckSparesModel("--full-logits", outputs.full_logits, outputs.full_logits, model);
}

Status CheckNames(const ScoreOutputs& outputs, const std::string& input,
                  const std::vector<ScoreItem>& items) {
  if (input != "-" && !outputs.to_console() && SamePlace(input, outputs.lines)) {
    return BadInput("--output is the input file itself", outputs.lines, "write to another file");
  }
  FATHOM_TRY(const Claims claims, LogitFiles(outputs, items));
  FATHOM_OK(CheckNotClaimed(claims, "--output", outputs.lines));
  return CheckNotClaimed(claims, "--input", input);
}

}  // namespace

std::string ScoreOutputs::LogitsOf(const std::string& id) const {
  return JoinPath(full_logits, id + ".npy");
}

std::string ScoreOutputs::MtpLogitsOf(const std::string& id) const {
  return JoinPath(full_logits, id + ".mtp.npy");
}

Result<std::unique_ptr<OutputFile>> ScoreOutputs::OpenLines(FileSystem& files,
                                                            Console& console) const {
  if (to_console()) return std::unique_ptr<OutputFile>(new ConsoleLines(console));
  return files.Create(lines);
}

Status CheckOutputs(FileSystem& files, const ScoreOutputs& outputs, const std::string& model,
                    const std::string& input, const std::vector<ScoreItem>& items) {
  FATHOM_OK(CheckSparesModel(outputs, model));
  FATHOM_OK(CheckNames(outputs, input, items));
  if (!outputs.to_console()) {
    FATHOM_TRY([[maybe_unused]] const auto output, files.Create(outputs.lines));
  }
  if (outputs.full_logits.empty()) return Ok();
  FATHOM_OK(files.MakeDirectory(outputs.full_logits));
  FATHOM_TRY([[maybe_unused]] const auto probe, files.Create(outputs.LogitsOf(items.front().id)));
  return Ok();
}

}  // namespace fathom
