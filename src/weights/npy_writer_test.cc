#include "weights/npy_writer.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "io/memory_file_system_testing.h"

namespace fathom {
namespace {

// A file of this header text (padded to 118 = 0x76 bytes, so that the data begin at 128) and data.
std::string FileOf(std::string header, std::string_view data) {
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + '\n' + std::string(data);
}

// The same bytes as numpy.save(numpy.array([[1, 2]], dtype='<f4')).
TEST(NpyWriter, WritesWhatNumpyWrites) {
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

TEST(NpyWriter, WritesRowsOneByOneAndNoneToo) {
  MemoryFileSystem files;
  auto writer = NpyWriter::Create(files, "/l.npy", 2, 1);
  ASSERT_TRUE(writer->AppendRow(std::array{1.0F}).ok());
  ASSERT_TRUE(writer->AppendRow(std::array{2.0F}).ok());
  ASSERT_TRUE(writer->Commit().ok());
  EXPECT_EQ(files.Get("/l.npy"),
            FileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }",
                   std::string_view("\x00\x00\x80\x3f\x00\x00\x00\x40", 8)));
  auto none = NpyWriter::Create(files, "/n.npy", 0, 7);
  ASSERT_TRUE(none->Commit().ok());
  EXPECT_EQ(files.Get("/n.npy"),
            FileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 7), }", ""));
}

}  // namespace
}  // namespace fathom
