#ifndef FATHOM_TEXT_JINJA_ACCESS_H_
#define FATHOM_TEXT_JINJA_ACCESS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "text/jinja_budget.h"
#include "text/jinja_value.h"

namespace fathom::jinja {

// object.name: a method, else a dict's member, a namespace's attribute, a field of `loop`;
// undefined if there is none. Error: the object itself is undefined, or Python has that attribute
// and Fathom does not.
Result<Value> GetAttribute(const Value& object, std::string_view name, Budget& budget);
// object[index]: an item of a list, a character of a text, from the end if negative; undefined past
// either end. A name is a dict's member first, then as object.name.
Result<Value> GetItem(const Value& object, const Value& index, Budget& budget);
// "a.b.0" as the attribute argument of map and selectattr spells it.
Result<Value> GetPath(const Value& object, std::string_view path, Budget& budget);

// object[begin:end:step] with Python's meaning of missing and negative parts. Error: step is 0, the
// object is no list or text.
struct SliceBounds {
  std::optional<int64_t> begin, end, step;
};
Result<Value> GetSlice(const Value& object, const SliceBounds& bounds, Budget& budget);

}  // namespace fathom::jinja

#endif  // FATHOM_TEXT_JINJA_ACCESS_H_
