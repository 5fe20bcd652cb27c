#include "npy.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

namespace fathom {
namespace {

constexpr size_t kPreamble = 10;  // magic, version and the header's length

// The numbers of "'shape': (48, 512)".
std::vector<int64_t> ParseShape(std::string_view header) {
  std::vector<int64_t> shape;
  const size_t begin = header.find('(');
  const size_t end = header.find(')');
  if (begin == header.npos || end == header.npos) return shape;
  for (size_t i = begin + 1; i < end; ++i) {
    if (header[i] < '0' || header[i] > '9') continue;
    const std::string digits(header.substr(i, end - i));
    size_t used = 0;
    shape.push_back(std::stoll(digits, &used));
    i += used;
  }
  return shape;
}

template <typename T>
Npy<T> ReadNpy(const std::string& path, std::string_view type) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (bytes.size() < kPreamble || bytes.compare(1, 5, "NUMPY") != 0) {
    ADD_FAILURE() << path << ": not there, or not an .npy file";
    return {};
  }
  const size_t header_bytes = static_cast<uint8_t>(bytes[8]) + 256u * static_cast<uint8_t>(bytes[9]);
  const std::string_view header = std::string_view(bytes).substr(kPreamble, header_bytes);
  Npy<T> npy{.shape = ParseShape(header), .values = {}};
  size_t count = 1;
  for (const int64_t dim : npy.shape) count *= static_cast<size_t>(dim);
  const size_t data = kPreamble + header_bytes;
  if (header.find(type) == header.npos || bytes.size() != data + count * sizeof(T)) {
    ADD_FAILURE() << path << ": expected " << count << " values of type " << type << ", header is "
                  << header;
    return {};
  }
  npy.values.resize(count);
  std::memcpy(npy.values.data(), bytes.data() + data, count * sizeof(T));
  return npy;
}

}  // namespace

Npy<float> ReadFloatNpy(const std::string& path) { return ReadNpy<float>(path, "<f4"); }
Npy<int32_t> ReadIntNpy(const std::string& path) { return ReadNpy<int32_t>(path, "<i4"); }

}  // namespace fathom
