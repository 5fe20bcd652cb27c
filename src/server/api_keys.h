#ifndef FATHOM_SERVER_API_KEYS_H_
#define FATHOM_SERVER_API_KEYS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"

namespace fathom {

// A variable of the environment, and its value: null where it is not set.
struct KeyVariable {
  std::string_view name;
  const char* value = nullptr;
};

// The keys that open the server. Their text never leaves this class.
class ApiKeys {
 public:
  ApiKeys() = default;

  // Keys from flags, from a file with one key a line (empty lines and those that begin with # left
  // out), and from a variable of the environment (several with commas between).
  // Errors (kBadInput): the file cannot be read or holds no key; a key that is empty, or has a
  // character that a header cannot carry.
  static Result<ApiKeys> Load(const std::vector<std::string>& flags, const std::string& file,
                              FileSystem& files, const KeyVariable& environment);

  bool required() const { return !keys_.empty(); }
  size_t size() const { return keys_.size(); }
  // "one of 3 keys: 1 of --api-key, 2 of keys.txt". CHECK: required().
  std::string Describe() const;

  // Which of the keys, from 0, the value of an Authorization header ("Bearer KEY") holds. The time
  // it takes depends on the lengths only, not on which characters agree.
  std::optional<size_t> Find(std::string_view authorization) const;

 private:
  Status Add(std::string key, const std::string& where);
  // The keys since the last call are of this source.
  void EndSource(std::string_view name);

  std::vector<std::string> keys_;
  struct Source {
    std::string name;
    size_t keys = 0;
  };
  std::vector<Source> sources_;
};

}  // namespace fathom

#endif  // FATHOM_SERVER_API_KEYS_H_
