// Model folders as they lie on real disks.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"
#include "io/temp_folder_testing.h"
#include "spec/catalogue.h"
#include "spec/config_testing.h"
#include "spec/summary.h"
#include "tensor/dtype.h"
#include "weights/checkpoint.h"
#include "weights/checkpoint_testing.h"

namespace fathom {
namespace {

namespace fs = std::filesystem;

// The Hugging Face cache: snapshots/REVISION/NAME -> ../../blobs/HASH, everything read-only.
TEST(ModelFolder, OfSymbolicLinksAndReadOnlyOpensAndReads) {
  const TempFolder cache;
  const auto files = MakePosixFileSystem();
  WriteRandomCheckpoint(*files, cache / "blobs", TinyDeepseekV3ConfigJson(),
                        {.seed = 3, .max_shard_bytes = 100'000});
  const std::string snapshot = cache / "snapshots/0123abcd";
  ASSERT_TRUE(files->MakeDirectory(snapshot).ok());
  const auto names = files->List(cache / "blobs");
  ASSERT_TRUE(names.ok());
  for (size_t i = 0; i < names->size(); ++i) {
    const std::string blob = "hash" + std::to_string(i);
    fs::rename(cache / "blobs/" + (*names)[i], cache / "blobs/" + blob);
    fs::permissions(cache / "blobs/" + blob, fs::perms::owner_read);
    fs::create_symlink("../../blobs/" + blob, JoinPath(snapshot, (*names)[i]));
  }
  fs::permissions(snapshot, fs::perms::owner_read | fs::perms::owner_exec);

  const auto checkpoint = Checkpoint::Open(*files, snapshot);
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().ToString();
  const Status verified = checkpoint->Verify(true);
  EXPECT_TRUE(verified.ok()) << verified.error().ToString();
  std::vector<std::byte> norm(272);
  EXPECT_TRUE(checkpoint->Read(*checkpoint->Find("model.norm.weight"), 0, norm).ok());
}

// The whole R1 with its 91,991 tensors, headers only: nothing but headers is read, so the 689 GB
// behind them need not exist.
TEST(ModelFolder, OfDeepseekR1OpensByItsHeaders) {
  const TempFolder folder;
  WriteHeaderOnlyCheckpoint(folder / "r1", DeepseekR1ConfigJson(), 4'260'000'000);
  const auto files = MakePosixFileSystem();
  const auto checkpoint = Checkpoint::Open(*files, folder / "r1");
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().ToString();
  const Status verified = checkpoint->Verify(true);
  EXPECT_TRUE(verified.ok()) << verified.error().ToString();
  EXPECT_EQ(checkpoint->tensors().size(), 91'991U);
  EXPECT_EQ(checkpoint->total_bytes(), 688'574'839'360);
  EXPECT_EQ(files->List(folder / "r1")->size(), 163U + 2);
  const ModelSummary summary =
      Summarize(checkpoint->config(), [&](const TensorSpec& spec) -> std::optional<DType> {
        const TensorInfo* tensor = checkpoint->Find(spec.name);
        return tensor == nullptr ? std::nullopt : std::optional(tensor->dtype);
      });
  EXPECT_EQ(summary.main.parameters, 671'026'419'200);
  EXPECT_EQ(summary.main.bytes + summary.mtp.bytes, 688'574'839'360);
}

}  // namespace
}  // namespace fathom
