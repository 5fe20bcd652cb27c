#include "tensor/npy_testing.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <ios>
#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

#include "base/check.h"
#include "base/golden_folder_testing.h"

namespace fathom {
namespace {

// The text after `key` in the header's Python literal up to one of `ends`.
std::string Field(const std::string& header, const std::string& key, const char* ends) {
  const size_t at = header.find(key);
  FATHOM_CHECK(at != std::string::npos);
  const size_t begin = at + key.size();
  return header.substr(begin, header.find_first_of(ends, begin) - begin);
}

// "<f4" for float; one byte has no order.
template <typename T>
std::string Descr() {
  const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
  return std::string(sizeof(T) == 1 ? "|" : "<") + kind + std::to_string(sizeof(T));
}

}  // namespace

NpyArray ReadNpy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) std::fprintf(stderr, "not there: %s\n", path.c_str());
  FATHOM_CHECK(file.good());
  const std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  FATHOM_CHECK(all.compare(0, 8, std::string("\x93NUMPY\x01\x00", 8)) == 0);
  uint16_t header_bytes = 0;
  std::memcpy(&header_bytes, all.data() + 8, sizeof(header_bytes));
  const std::string header = all.substr(10, header_bytes);
  FATHOM_CHECK(header.find("'fortran_order': False") != std::string::npos);
  NpyArray array;
  array.descr = Field(header, "'descr': '", "'");
  const std::string shape = Field(header, "'shape': (", ")");
  for (const char* p = shape.c_str(); *p != '\0';) {
    char* end = nullptr;
    array.shape.push_back(std::strtoll(p, &end, 10));
    p = end + std::strspn(end, ", ");
  }
  array.bytes.assign(all.begin() + 10 + header_bytes, all.end());
  return array;
}

NpyArray ReadGoldenNpy(const std::string& name) { return ReadNpy(GoldenFolder() + "/" + name); }

template <typename T>
std::vector<T> NpyArray::As() const {
  int64_t count = 1;
  for (const int64_t dim : shape) count *= dim;
  FATHOM_CHECK(descr == Descr<T>());
  FATHOM_CHECK(static_cast<size_t>(count) * sizeof(T) == bytes.size());
  std::vector<T> values(static_cast<size_t>(count));
  if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

template std::vector<float> NpyArray::As() const;
template std::vector<double> NpyArray::As() const;
template std::vector<int32_t> NpyArray::As() const;
template std::vector<uint8_t> NpyArray::As() const;
template std::vector<uint16_t> NpyArray::As() const;

}  // namespace fathom
