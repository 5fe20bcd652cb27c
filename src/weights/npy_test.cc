#include "weights/npy.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/memory_file_system_testing.h"

namespace fathom {
namespace {

// A file of this header text (padded to 118 = 0x76 bytes, so that the data begin at 128) and data.
std::string FileOf(std::string header, std::string_view data) {
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + '\n' + std::string(data);
}

Result<NpyArray> Parse(std::string_view file) { return ParseNpy(std::as_bytes(std::span(file))); }

// What numpy.save writes for numpy.array([[1, -2, 0.5], [0, 3, 4]], dtype='<f4').
TEST(Npy, ReadsWhatNumpyWrites) {
  const auto array =
      Parse(FileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
                   std::string_view("\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x3f"
                                    "\x00\x00\x00\x00\x00\x00\x40\x40\x00\x00\x80\x40",
                                    24)));
  ASSERT_TRUE(array.ok()) << array.error().ToString();
  EXPECT_EQ(array->type, NpyType::kFloat32);
  EXPECT_EQ(array->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(array->elements(), 6);
  EXPECT_EQ(array->As<float>(), (std::vector<float>{1, -2, 0.5F, 0, 3, 4}));
}

TEST(Npy, ReadsOneDimensionNoneAndOtherTypes) {
  const auto list = Parse(FileOf("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }",
                                 std::string_view("\x07\0\0\0\xff\xff\xff\xff", 8)));
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->As<int32_t>(), (std::vector<int32_t>{7, -1}));
  const auto scalar = Parse(FileOf("{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "A"));
  ASSERT_TRUE(scalar.ok());
  EXPECT_EQ(scalar->As<uint8_t>(), std::vector<uint8_t>{65});
  const auto empty =
      Parse(FileOf("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4), }", ""));
  ASSERT_TRUE(empty.ok());
  EXPECT_TRUE(empty->As<double>().empty());
}

// The same bytes as numpy.save(numpy.array([[1, 2]], dtype='<f4')).
TEST(Npy, WritesWhatNumpyWrites) {
  MemoryFileSystem files;
  auto writer = NpyWriter::Create(files, "/l.npy", 1, 2);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(writer->AppendRow(std::array{1.0F, 2.0F}).ok());
  EXPECT_FALSE(files.Exists("/l.npy"));
  ASSERT_TRUE(writer->Commit().ok());
  EXPECT_EQ(files.Get("/l.npy"),
            FileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }",
                   std::string_view("\x00\x00\x80\x3f\x00\x00\x00\x40", 8)));
}

TEST(Npy, WhatIsWrittenIsReadBack) {
  MemoryFileSystem files;
  auto writer = NpyWriter::Create(files, "/l.npy", 123'456, 1);
  for (int i = 0; i < 123'456; ++i) {
    ASSERT_TRUE(writer->AppendRow(std::array{static_cast<float>(i)}).ok());
  }
  ASSERT_TRUE(writer->Commit().ok());
  const auto array = ReadNpy(files, "/l.npy");
  ASSERT_TRUE(array.ok());
  EXPECT_EQ(array->shape, (std::vector<int64_t>{123'456, 1}));
  EXPECT_EQ(array->As<float>().back(), 123'455);
}

struct BadFile {
  const char* name;
  std::string bytes;
  const char* what;
};
class NpyErrors : public testing::TestWithParam<BadFile> {};

TEST_P(NpyErrors, SayWhatIsWrong) {
  MemoryFileSystem files;
  files.Put("/a.npy", GetParam().bytes);
  const auto array = ReadNpy(files, "/a.npy");
  ASSERT_FALSE(array.ok());
  EXPECT_EQ(array.error().what, GetParam().what);
  EXPECT_EQ(array.error().where, "/a.npy");
  EXPECT_EQ(array.error().kind, ErrorKind::kBadInput);
}

constexpr const char* kNotNumpy = "the header is not one that numpy writes";

INSTANTIATE_TEST_SUITE_P(
    Rows, NpyErrors,
    testing::Values(
        BadFile{"Empty", "", "not a .npy file of version 1.0"},
        BadFile{"OtherVersion", std::string("\x93NUMPY\x02\x00\x76\x00", 10),
                "not a .npy file of version 1.0"},
        BadFile{"CutHeader", std::string("\x93NUMPY\x01\x00\x76\x00{'descr'", 18),
                "the header claims 118 bytes, the file ends after 8 of them"},
        BadFile{"NotADictionary", FileOf("[1, 2]", ""), kNotNumpy},
        BadFile{"KeyMissing", FileOf("{'descr': '<f4', 'shape': (1,), }", "abcd"), kNotNumpy},
        BadFile{"UnknownKey",
                FileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1}", "abcd"),
                kNotNumpy},
        BadFile{"NegativeDimension",
                FileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", ""),
                kNotNumpy},
        BadFile{"DimensionTooLarge",
                FileOf("{'descr': '<f4', 'fortran_order': False, 'shape': "
                       "(99999999999999999999,), }",
                       ""),
                kNotNumpy},
        BadFile{"FortranOrder",
                FileOf("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", "abcd"),
                "the array is in Fortran order, C order is needed"},
        BadFile{"BigEndian",
                FileOf("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "abcd"),
                "type \">f4\" is not known"},
        BadFile{"DataCut",
                FileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }", "abcd"),
                "<f4 [2, 1] needs 8 bytes of data, the file has 4"},
        BadFile{"Overflow",
                FileOf("{'descr': '<f4', 'fortran_order': False, 'shape': "
                       "(4611686018427387904, 2), }",
                       ""),
                "an array of shape [4611686018427387904, 2] has no size"}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace fathom
