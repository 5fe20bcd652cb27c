#include "weights/safetensors_writer.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "io/memory_file_system_testing.h"
#include "tensor/dtype.h"
#include "weights/safetensors.h"

namespace fathom {
namespace {

std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

std::vector<TensorDeclaration> ThreeTensors() {
  return {{"codes", DType::kF8E4M3, {3}}, {"scale", DType::kF32, {1}}, {"norm", DType::kBF16, {2}}};
}

// The whole file, spelled out: length of the JSON (0xE0 = 224) as eight bytes, the JSON padded with
// spaces to a multiple of eight, then 1.0f (scale), two BF16 ones (norm), three codes.
TEST(SafetensorsWriter, WritesTheseBytes) {
  MemoryFileSystem files;
  auto writer = SafetensorsWriter::Create(files, "/m", PlanShards(ThreeTensors(), 100));
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(writer->Append(Bytes(std::string_view("\x00\x00\x80\x3f", 4))).ok());
  ASSERT_TRUE(writer->Append(Bytes(std::string_view("\x80\x3f\x80\x3f", 4))).ok());
  ASSERT_TRUE(writer->Append(Bytes("\x38\x40\x44")).ok());
  ASSERT_TRUE(writer->Commit().ok());
  const std::string json = R"({"__metadata__":{"format":"pt"},)"
                           R"("scale":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                           R"("norm":{"dtype":"BF16","shape":[2],"data_offsets":[4,8]},)"
                           R"("codes":{"dtype":"F8_E4M3","shape":[3],"data_offsets":[8,11]}})";
  EXPECT_EQ(files.Get("/m/model.safetensors"),
            std::string("\xd0\0\0\0\0\0\0\0", 8) + json + std::string(208 - json.size(), ' ') +
                std::string("\x00\x00\x80\x3f\x80\x3f\x80\x3f\x38\x40\x44", 11));
  EXPECT_EQ(files.Paths(), std::vector<std::string>{"/m/model.safetensors"});
}

TEST(SafetensorsWriter, CutsShardsAndWritesTheIndexLast) {
  MemoryFileSystem files;
  auto writer = SafetensorsWriter::Create(files, "/m", PlanShards(ThreeTensors(), 7));
  ASSERT_TRUE(writer.ok());
  // codes and scale are 7 bytes, wider elements first; one call goes across the border.
  ASSERT_TRUE(writer->Append(Bytes("SSSSccc")).ok());
  EXPECT_FALSE(files.Exists("/m/model-00001-of-00002.safetensors"));
  ASSERT_TRUE(writer->Append(Bytes("nnnn")).ok());
  EXPECT_TRUE(files.Exists("/m/model-00001-of-00002.safetensors"));
  EXPECT_FALSE(files.Exists("/m/model.safetensors.index.json"));
  ASSERT_TRUE(writer->Commit().ok());
  EXPECT_TRUE(files.Get("/m/model-00001-of-00002.safetensors").ends_with("SSSSccc"));
  EXPECT_TRUE(files.Get("/m/model-00002-of-00002.safetensors").ends_with("nnnn"));
  EXPECT_EQ(*ParseJson(files.Get("/m/model.safetensors.index.json"), "index"),
            *ParseJson(R"({"metadata": {"total_size": 11}, "weight_map": {
                "scale": "model-00001-of-00002.safetensors",
                "codes": "model-00001-of-00002.safetensors",
                "norm": "model-00002-of-00002.safetensors"}})",
                       "expected"));
}

TEST(SafetensorsWriter, WhatItWritesIsReadBack) {
  MemoryFileSystem files;
  auto writer = SafetensorsWriter::Create(files, "/m", PlanShards(ThreeTensors(), 100));
  ASSERT_TRUE(writer->Append(Bytes("SSSSnnnnccc")).ok());
  ASSERT_TRUE(writer->Commit().ok());
  const auto file = files.Open("/m/model.safetensors");
  const auto entries = ReadSafetensorsHeader(**file);
  ASSERT_TRUE(entries.ok()) << entries.error().ToString();
  ASSERT_EQ(entries->size(), 3U);
  EXPECT_EQ((*entries)[1].name, "norm");
  EXPECT_EQ((*entries)[1].dtype, DType::kBF16);
  EXPECT_EQ((*entries)[1].shape, std::vector<int64_t>{2});
  EXPECT_EQ(files.Get("/m/model.safetensors").substr(static_cast<size_t>((*entries)[1].offset), 4),
            "nnnn");
}

TEST(SafetensorsWriter, ATensorLargerThanAFileGetsItsOwn) {
  const auto shards =
      PlanShards({{"a", DType::kI8, {2}}, {"b", DType::kI8, {9}}, {"c", DType::kI8, {2}}}, 4);
  ASSERT_EQ(shards.size(), 3U);
  EXPECT_EQ(shards[1].name, "model-00002-of-00003.safetensors");
  EXPECT_EQ(shards[1].tensors[0].name, "b");
}

TEST(SafetensorsWriter, DoesNotMixWithAnOldModel) {
  for (const std::string name : {"model.safetensors.index.json", "model.safetensors"}) {
    for (const int64_t max_bytes : {7, 100}) {  // two files, one
      MemoryFileSystem files;
      files.Put("/m/" + name, "{}");
      const auto writer =
          SafetensorsWriter::Create(files, "/m", PlanShards(ThreeTensors(), max_bytes));
      ASSERT_FALSE(writer.ok());
      EXPECT_EQ(writer.error().ToString(),
                "error: there is a model in this folder already: " + name +
                    "\n  where: /m\n"
                    "  fix: name a new folder, or remove the old model first\n");
      EXPECT_EQ(files.Get("/m/" + name), "{}");
    }
  }
}

TEST(SafetensorsWriter, OnAFullDiskLeavesNothingThatLooksLikeAModel) {
  MemoryFileSystem files;
  files.SetFreeSpace(200);  // the first file's header and data fit, the second's do not
  auto writer = SafetensorsWriter::Create(files, "/m", PlanShards(ThreeTensors(), 7));
  ASSERT_TRUE(writer.ok());
  Status status = writer->Append(Bytes("SSSScccnnnn"));
  if (status.ok()) status = writer->Commit();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::kDoesNotFit);
  EXPECT_EQ(status.error().where, "/m/model-00002-of-00002.safetensors");
  EXPECT_FALSE(files.Exists("/m/model.safetensors.index.json"));
}

}  // namespace
}  // namespace fathom
