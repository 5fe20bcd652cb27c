#include "weights/safetensors.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/memory_file_system_testing.h"
#include "tensor/dtype.h"

namespace fathom {
namespace {

constexpr std::string_view kPath = "/m/model.safetensors";

// A file of this header and `data_bytes` zero bytes.
std::string FileOf(std::string_view json, size_t data_bytes) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(json.size() >> (8 * i) & 0xFF);
  return file + std::string(json) + std::string(data_bytes, '\0');
}

Result<std::vector<SafetensorsEntry>> ReadBytes(std::string_view bytes) {
  MemoryFileSystem files;
  files.Put(std::string(kPath), bytes);
  const auto file = files.Open(std::string(kPath));
  return ReadSafetensorsHeader(**file);
}

TEST(Safetensors, ReadsAFileWrittenByHand) {
  // 0x38 = 56 bytes of JSON with the space that pads it; two BF16 ones.
  const auto entries =
      ReadBytes(std::string("\x38\0\0\0\0\0\0\0", 8) +
                R"({"b":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}} )" + "\x80\x3f\x80\x3f");
  ASSERT_TRUE(entries.ok()) << entries.error().ToString();
  ASSERT_EQ(entries->size(), 1U);
  EXPECT_EQ((*entries)[0].name, "b");
  EXPECT_EQ((*entries)[0].offset, 64);
  EXPECT_EQ((*entries)[0].bytes, 4);
}

TEST(Safetensors, ListsTensorsInTheOrderOfTheirData) {
  const std::string json = R"({"__metadata__":{"format":"pt"},)"
                           R"("last":{"dtype":"F8_E4M3","shape":[3],"data_offsets":[16,19]},)"
                           R"("first":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
                           R"("empty":{"dtype":"I64","shape":[0,5],"data_offsets":[16,16]},)"
                           R"("scalar":{"dtype":"BF16","shape":[],"data_offsets":[19,21]}}   )";
  const auto entries = ReadBytes(FileOf(json, 21));
  ASSERT_TRUE(entries.ok()) << entries.error().ToString();
  const auto start = static_cast<int64_t>(8 + json.size());
  ASSERT_EQ(entries->size(), 4U);
  EXPECT_EQ((*entries)[0].name, "first");
  EXPECT_EQ((*entries)[0].dtype, DType::kF32);
  EXPECT_EQ((*entries)[0].shape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ((*entries)[0].offset, start);
  EXPECT_EQ((*entries)[0].bytes, 16);
  EXPECT_EQ((*entries)[1].name, "empty");
  EXPECT_EQ((*entries)[1].bytes, 0);
  EXPECT_EQ((*entries)[2].name, "last");
  EXPECT_EQ((*entries)[2].offset, start + 16);
  EXPECT_EQ((*entries)[3].name, "scalar");
  EXPECT_EQ((*entries)[3].bytes, 2);
}

TEST(Safetensors, WithoutTensorsIsAFile) { EXPECT_TRUE(ReadBytes(FileOf("{}", 0))->empty()); }

TEST(Safetensors, ReadsNothingButTheHeader) {
  MemoryFileSystem files;
  const std::string json = R"({"a":{"dtype":"I8","shape":[1000],"data_offsets":[0,1000]}})";
  files.Put("/f", FileOf(json, 1000));
  ASSERT_TRUE(ReadSafetensorsHeader(**files.Open("/f")).ok());
  EXPECT_EQ(files.bytes_read(), static_cast<int64_t>(8 + json.size()));
  EXPECT_EQ(files.maps(), 0);
}

#define FATHOM_FETCH "  fix: the file is incomplete or damaged; fetch it again\n"
#define FATHOM_WHERE "  where: /m/model.safetensors"

struct BadFile {
  const char* name;
  std::string bytes;
  const char* error;
};
class SafetensorsErrors : public testing::TestWithParam<BadFile> {};

TEST_P(SafetensorsErrors, NameFileTensorExpectedAndFound) {
  const auto entries = ReadBytes(GetParam().bytes);
  ASSERT_FALSE(entries.ok());
  EXPECT_EQ(entries.error().ToString(), GetParam().error);
  EXPECT_EQ(entries.error().kind, ErrorKind::kBadInput);
}

std::string OneTensor(std::string_view dtype, std::string_view shape, std::string_view offsets,
                      size_t data_bytes) {
  std::string json = R"({"w":{"dtype":")";
  json.append(dtype).append(R"(","shape":)").append(shape);
  json.append(R"(,"data_offsets":)").append(offsets).append("}}");
  return FileOf(json, data_bytes);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, SafetensorsErrors,
    testing::Values(
        BadFile{
            "ShorterThanItsLength", "abc",
            "error: the file has 3 bytes, a safetensors file begins with 8 that give the length "
            "of its header\n" FATHOM_WHERE "\n" FATHOM_FETCH},
        BadFile{"CutInsideTheHeader", FileOf(R"({"w":{"dtype":"I8","shape":)", 0).substr(0, 20),
                "error: the header claims 27 bytes, the file ends after 12 of them\n" FATHOM_WHERE
                "\n" FATHOM_FETCH},
        BadFile{"HeaderOfAbsurdLength", std::string("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10),
                "error: the header claims 18446744073709551615 bytes, more than the 100000000 a "
                "safetensors file may have\n" FATHOM_WHERE "\n" FATHOM_FETCH},
        BadFile{"GitLfsPointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n",
                "error: the file is a Git LFS pointer, not the tensors it stands for\n" FATHOM_WHERE
                "\n"
                "  fix: run `git lfs pull` in its folder, or download the file itself\n"},
        BadFile{"HeaderIsNotJson", FileOf("{\"w\":", 0),
                "error: not valid JSON at line 1, column 6: syntax error while parsing value - "
                "unexpected end of input; expected '[', '{', or a literal\n" FATHOM_WHERE
                ": header\n" FATHOM_FETCH},
        BadFile{"HeaderIsAList", FileOf("[]", 0),
                "error: expected an object, found array []\n" FATHOM_WHERE
                ": header\n" FATHOM_FETCH},
        BadFile{"NameTwice",
                FileOf(R"({"w":{"dtype":"I8","shape":[0],"data_offsets":[0,0]},)"
                       R"("w":{"dtype":"I8","shape":[0],"data_offsets":[0,0]}})",
                       0),
                "error: key \"w\" stands twice in one object\n" FATHOM_WHERE
                ": header: /w\n" FATHOM_FETCH},
        BadFile{"NoName", FileOf(R"({"":{"dtype":"I8","shape":[0],"data_offsets":[0,0]}})", 0),
                "error: a tensor has no name\n" FATHOM_WHERE "\n" FATHOM_FETCH},
        BadFile{"EntryIsANumber", FileOf(R"({"w":3})", 0),
                "error: expected an object, found integer 3\n" FATHOM_WHERE ": w\n" FATHOM_FETCH},
        BadFile{"UnknownType", OneTensor("F8_E5M2", "[4]", "[0,4]", 4),
                "error: type \"F8_E5M2\" is not known\n" FATHOM_WHERE ": w\n"
                "  fix: known: F32, F16, BF16, F8_E4M3, I8, I32, I64\n"},
        BadFile{"TypeIsANumber", FileOf(R"({"w":{"dtype":8,"shape":[],"data_offsets":[0,1]}})", 1),
                "error: expected a string, found integer 8\n" FATHOM_WHERE
                ": w: /dtype\n" FATHOM_FETCH},
        BadFile{"NoShape", FileOf(R"({"w":{"dtype":"I8","data_offsets":[0,1]}})", 1),
                "error: key \"shape\" is missing\n" FATHOM_WHERE ": w\n" FATHOM_FETCH},
        BadFile{"NegativeDimension", OneTensor("I8", "[-1]", "[0,1]", 1),
                "error: expected a list of whole numbers, none negative, found array "
                "[-1]\n" FATHOM_WHERE ": w: /shape\n" FATHOM_FETCH},
        BadFile{"FractionalDimension", OneTensor("I8", "[1.5]", "[0,1]", 1),
                "error: expected a list of whole numbers, none negative, found array "
                "[1.5]\n" FATHOM_WHERE ": w: /shape\n" FATHOM_FETCH},
        BadFile{"OffsetsBackwards", OneTensor("I8", "[1]", "[1,0]", 1),
                "error: expected [begin, end] with begin <= end, found array [1,0]\n" FATHOM_WHERE
                ": w: /data_offsets\n" FATHOM_FETCH},
        BadFile{"ThreeOffsets", OneTensor("I8", "[1]", "[0,1,2]", 1),
                "error: expected [begin, end] with begin <= end, found array [0,1,2]\n" FATHOM_WHERE
                ": w: /data_offsets\n" FATHOM_FETCH},
        BadFile{"ShapeAndBytesDiffer", OneTensor("F32", "[3,2]", "[0,16]", 16),
                "error: F32 [3, 2] does not have 16 bytes\n" FATHOM_WHERE ": w\n" FATHOM_FETCH},
        BadFile{"ShapeOverflows", OneTensor("F32", "[4294967296,4294967296]", "[0,0]", 0),
                "error: F32 [4294967296, 4294967296] does not have 0 bytes\n" FATHOM_WHERE
                ": w\n" FATHOM_FETCH},
        BadFile{
            "CutInsideTheData", OneTensor("F32", "[4]", "[0,16]", 12),
            "error: its data ends at byte 16 of the data, of which the file has 12\n" FATHOM_WHERE
            ": w\n" FATHOM_FETCH},
        BadFile{"BytesBeyondTheLastTensor", OneTensor("F32", "[4]", "[0,16]", 20),
                "error: the file has 83 bytes, its header accounts for 79\n" FATHOM_WHERE
                "\n" FATHOM_FETCH},
        BadFile{"Gap", OneTensor("F32", "[4]", "[4,20]", 20),
                "error: begins at byte 67 and leaves a gap after the header, which ends at "
                "63\n" FATHOM_WHERE ": w\n" FATHOM_FETCH},
        BadFile{"Overlap",
                FileOf(R"({"v":{"dtype":"I8","shape":[4],"data_offsets":[0,4]},)"
                       R"("w":{"dtype":"I8","shape":[4],"data_offsets":[3,7]}})",
                       7),
                "error: begins at byte 116 and overlaps v, which ends at 117\n" FATHOM_WHERE
                ": w\n" FATHOM_FETCH}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Safetensors, ThatCannotBeReadSaysSoOnce) {
  MemoryFileSystem files;
  files.Put("/f", FileOf("{}", 0));
  files.FailReadsAt("/f", 8);
  const auto entries = ReadSafetensorsHeader(**files.Open("/f"));
  ASSERT_FALSE(entries.ok());
  EXPECT_EQ(entries.error().ToString(),
            "error: cannot read 2 bytes at offset 8: Input/output error\n  where: /f\n"
            "  fix: the disk or the network behind it fails: see `dmesg`, then try another copy\n");
  EXPECT_EQ(entries.error().kind, ErrorKind::kFailed);
}

}  // namespace
}  // namespace fathom
