// Any bytes as a whole safetensors file, its length prefix included: the header is refused with the
// file's name, or it covers the file. No length makes it read or allocate past the file's end.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "io/memory_file_system_testing.h"
#include "weights/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fathom::MemoryFileSystem files;
  files.Put("/f", std::string_view(reinterpret_cast<const char*>(data), size));
  const auto file = files.Open("/f").value();
  const auto entries = fathom::ReadSafetensorsHeader(*file);
  FATHOM_CHECK(files.bytes_read() <= static_cast<int64_t>(size));
  if (!entries.ok()) {
    FATHOM_CHECK(!entries.error().what.empty() && entries.error().where.starts_with("/f"));
    return 0;
  }
  int64_t bytes = 0;
  for (const auto& entry : *entries) {
    FATHOM_CHECK(entry.offset >= 8 && entry.bytes >= 0);
    FATHOM_CHECK(entry.offset + entry.bytes <= file->size());
    bytes += entry.bytes;
  }
  if (!entries->empty()) FATHOM_CHECK(entries->front().offset + bytes == file->size());
  return 0;
}
