#ifndef FATHOM_TEXT_JINJA_VALUE_H_
#define FATHOM_TEXT_JINJA_VALUE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/jinja_budget.h"
#include "text/marked_text.h"

namespace fathom::jinja {

class Value;
struct MacroStatement;

using Values = std::vector<Value>;
struct Member;

// Lists and dicts cannot change once made, as in the sandbox that transformers renders in.
struct ListData {
  Values items;
  bool is_tuple = false;
  int depth = 1;  // of nesting
};
struct DictData {
  std::vector<Member> members;
  int depth = 1;
};
// What namespace() makes: the only thing that can change. Owned by the evaluator.
struct Namespace {
  std::map<std::string, Value, std::less<>> attributes;
};
// The `loop` variable inside a for.
struct LoopData {
  std::shared_ptr<const ListData> items;
  size_t index = 0;
};
// A macro and how many of the scopes around it, where it stands, it can see.
struct MacroData {
  const MacroStatement* statement = nullptr;
  size_t scopes = 0;
};
struct MethodData;
enum class Function { kRange, kDict, kNamespace, kRaiseException, kStrftimeNow };

// A value of the template language, which follows Python's. Copies share what they hold.
class Value {
 public:
  static constexpr int kMostNesting = 300;

  struct Undefined {
    std::string what;  // "'x' is undefined"
  };
  struct None {};

  Value() : data_(None{}) {}
  static Value MakeUndefined(std::string what) { return Value(Undefined{std::move(what)}); }
  static Value Bool(bool value) { return Value(value); }
  static Value Int(int64_t value) { return Value(value); }
  static Value Float(double value) { return Value(value); }
  static Value String(MarkedText text);
  static Value String(std::string_view text) { return String(MarkedText(text, false)); }
  static Value OfLoop(LoopData loop);
  static Value OfMacro(MacroData macro) { return Value(macro); }
  static Value OfFunction(Function function) { return Value(function); }
  static Value OfNamespace(Namespace* space) { return Value(space); }
  static Value OfMethod(Value object, std::string_view name);
  // Errors: nested deeper than kMostNesting.
  static Result<Value> List(Values items, bool is_tuple = false);
  static Result<Value> Dict(std::vector<Member> members);
  // Marks all that it holds as out of a message if from_message. JSON read by ParseJson is never
  // nested too deep.
  static Result<Value> FromJson(const Json& json, bool from_message);

  bool is_undefined() const { return Is<Undefined>(); }
  bool is_none() const { return Is<None>(); }
  bool is_bool() const { return Is<bool>(); }
  bool is_int() const { return Is<int64_t>() || Is<uint64_t>(); }
  bool is_float() const { return Is<double>(); }
  bool is_number() const { return is_int() || is_float() || is_bool(); }  // as in Python
  bool is_string() const { return Is<std::shared_ptr<const MarkedText>>(); }
  bool is_list() const { return Is<std::shared_ptr<const ListData>>(); }
  bool is_dict() const { return Is<std::shared_ptr<const DictData>>(); }
  bool IsCallable() const;
  bool from_message() const { return from_message_; }

  // The value if it is of that type, else nullptr (nullopt).
  const std::string* undefined() const;
  const MarkedText* string() const;
  const ListData* list() const;
  const std::shared_ptr<const ListData>* shared_list() const;
  const DictData* dict() const;
  const LoopData* loop() const;
  const MacroData* macro() const;
  const MethodData* method() const;
  Namespace* space() const;
  std::optional<Function> function() const;
  std::optional<int64_t> integer() const;  // ints inside int64, and bools as 0 and 1
  std::optional<double> number() const;
  std::optional<uint64_t> large_integer() const;  // past int64

  // "string", "list", "none", ...: for messages.
  const char* TypeName() const;
  bool Truthy() const;

 private:
  template <typename T>
  explicit Value(T data) : data_(std::move(data)) {}
  template <typename T>
  bool Is() const {
    return std::holds_alternative<T>(data_);
  }
  int Depth() const;

  std::variant<Undefined, None, bool, int64_t, uint64_t, double, std::shared_ptr<const MarkedText>,
               std::shared_ptr<const ListData>, std::shared_ptr<const DictData>,
               std::shared_ptr<const LoopData>, std::shared_ptr<const MethodData>, MacroData,
               Function, Namespace*>
      data_;
  bool from_message_ = false;
};

struct Member {
  MarkedText key;
  Value value;
};
// object.name before it is called.
struct MethodData {
  Value object;
  std::string name;
};

// The member of that name, or nullptr.
const Value* FindMember(const DictData& dict, std::string_view key);

// Python's ==. Counts a step for each value it looks at.
Result<bool> Equal(const Value& a, const Value& b, Budget& budget);
// Python's order of numbers and of texts: negative, 0 or positive. Error for other pairs.
Result<int> Compare(const Value& a, const Value& b);
// Python's `needle in container`.
Result<bool> Contains(const Value& container, const Value& needle, Budget& budget);
// What a for loop goes over: the items of a list, the keys of a dict, the characters of a text;
// nothing for undefined. Error: not iterable.
Result<std::shared_ptr<const ListData>> Iterate(const Value& value, Budget& budget);
// Python's len. Error: has none.
Result<int64_t> Length(const Value& value);

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_VALUE_H_
