#ifndef FATHOM_IO_FILE_SYSTEM_H_
#define FATHOM_IO_FILE_SYSTEM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fathom {

// A file open for reading. Threads: ReadAt may be called from several at once.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  virtual const std::string& path() const = 0;
  virtual int64_t size() const = 0;
  // Fills `out` from `offset`; a file that ends before is an error (kFailed: it was cut while being
  // read).
  virtual Status ReadAt(int64_t offset, std::span<std::byte> out) const = 0;
  // Tells the system that the pages of this range will not be read again; a hint, never an error.
  virtual void Forget(int64_t offset, int64_t bytes) const = 0;
};

// A read-only mapping of a whole file; unmapped by its destructor.
class MappedFile {
 public:
  virtual ~MappedFile() = default;
  virtual std::span<const std::byte> bytes() const = 0;
};

// What an output's name ends in until its Commit; unusual, as a file of this name is replaced.
inline constexpr std::string_view kPartialSuffix = ".fathom-partial";

// An output that appears under its name whole or not at all: written to "<path>.fathom-partial",
// synced, renamed by Commit. Without Commit the destructor removes the partial file. One that a
// killed run left behind is replaced by the next run that writes this output.
class OutputFile {
 public:
  virtual ~OutputFile() = default;
  virtual Status Append(std::span<const std::byte> data) = 0;
  Status Append(std::string_view text) { return Append(std::as_bytes(std::span(text))); }
  virtual Status Commit() = 0;
};

// The files of this machine, behind one interface so that tests can put faults in front of any
// caller. Symbolic links are followed. Errors name the path and the system's reason.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual Result<std::unique_ptr<ReadableFile>> Open(const std::string& path) = 0;
  virtual Result<std::unique_ptr<MappedFile>> Map(const std::string& path) = 0;
  // False for what certainly is not there; what cannot be looked at fails where it is opened.
  virtual bool Exists(const std::string& path) = 0;
  virtual bool IsDirectory(const std::string& path) = 0;
  virtual Result<std::vector<std::string>> List(const std::string& directory) = 0;  // names, sorted
  // Refuses (kBadInput) a name that a folder, a pipe or a device has, and an output that another
  // one, of any process, is being written to. A link stays: the file it leads to is replaced or
  // made. The error of a name that cannot be created is about the name itself.
  virtual Result<std::unique_ptr<OutputFile>> Create(const std::string& path) = 0;
  // Removes what is written of outputs without their Commit, for a process that ends at once: no
  // destructor will do it. Threads: safe while others use the outputs, whose Commit then fails.
  virtual void RemovePartialFiles() = 0;
  virtual Status MakeDirectory(
      const std::string& path) = 0;  // with its parents; there already is fine

  // The whole of what a file or pipe delivers until its end; "-" is standard input. Refuses
  // (kBadInput) more than `limit` bytes, of an input that does not end without reading on.
  virtual Result<std::string> ReadStream(const std::string& path, int64_t limit) = 0;

  // The whole file as text; refuses (kBadInput) one of more than `limit` bytes.
  Result<std::string> ReadText(const std::string& path, int64_t limit = int64_t{1} << 30);
};

// The machine's own files.
std::unique_ptr<FileSystem> MakePosixFileSystem();

// Errors (kBadInput): nothing is at `path`, or it is a file, whose folder `fix` then names too.
// `fix`: what kind of folder is wanted, "name a folder with config.json".
Status CheckFolder(FileSystem& files, const std::string& path, const std::string& fix);

// The error of a text of more than `limit` bytes:
// "the input <has>, at most 5 bytes are allowed here".
Error TooLong(std::string_view has, std::string path, int64_t limit);

// Where a name leads, links and dots resolved; it does not have to exist, nor what a link leads to.
std::string ResolvedPath(const std::string& path);

// True when both names lead to the same place, links and dots resolved; neither has to exist.
bool SamePlace(const std::string& a, const std::string& b);

// "a" + "b" -> "a/b"; an empty or "."-less directory stays as it is written.
std::string JoinPath(std::string_view directory, std::string_view name);

}  // namespace fathom

#endif  // FATHOM_IO_FILE_SYSTEM_H_
