#include "text/jinja_evaluator.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "text/jinja_access.h"
#include "text/jinja_arguments.h"
#include "text/jinja_arithmetic.h"
#include "text/jinja_ast.h"
#include "text/jinja_budget.h"
#include "text/jinja_error.h"
#include "text/jinja_filters.h"
#include "text/jinja_globals.h"
#include "text/jinja_methods.h"
#include "text/jinja_predicates.h"
#include "text/jinja_print.h"
#include "text/jinja_value.h"
#include "text/marked_text.h"

namespace fathom::jinja {
namespace {

// Expressions and blocks inside each other, through macros as well; it bounds the use of the stack.
constexpr int kMostNesting = 400;

// How a block ended.
enum class Flow { kOn, kBreak, kContinue };

class Evaluator {
 public:
  Evaluator(Scope variables, std::string_view date) : date_(date) {
    variables.insert({{"range", Value::OfFunction(Function::kRange)},
                      {"dict", Value::OfFunction(Function::kDict)},
                      {"namespace", Value::OfFunction(Function::kNamespace)},
                      {"raise_exception", Value::OfFunction(Function::kRaiseException)},
                      {"strftime_now", Value::OfFunction(Function::kStrftimeNow)}});
    scopes_.push_back(std::move(variables));
  }

  Result<MarkedText> Render(const Block& block) {
    FATHOM_TRY([[maybe_unused]] const Flow flow, Execute(block));
    return std::move(out_);
  }

 private:
  // --- Statements

  Result<Flow> Execute(const Block& block) {
    for (const Statement& statement : block) {
      Result<Flow> flow = ExecuteOne(statement);
      if (!flow.ok()) return AtLine(statement.line, std::move(flow).error());
      if (*flow != Flow::kOn) return *flow;
    }
    return Flow::kOn;
  }

  Result<Flow> ExecuteOne(const Statement& statement) {
    FATHOM_OK(budget_.Steps());
    const Nested nested(nesting_);
    FATHOM_OK(nested.Check());
    return std::visit([this](const auto& node) { return Do(node); }, statement.node);
  }

  Result<Flow> Do(const TextStatement& node) {
    FATHOM_OK(budget_.Bytes(node.text.size()));
    out_.Append(node.text, false);
    return Flow::kOn;
  }
  Result<Flow> Do(const PrintStatement& node) {
    FATHOM_TRY(const Value value, Evaluate(*node.value));
    FATHOM_TRY(const MarkedText text, ToText(value, budget_));
    out_.Append(text);
    return Flow::kOn;
  }
  Result<Flow> Do(const BreakStatement& /*node*/) { return Flow::kBreak; }
  Result<Flow> Do(const ContinueStatement& /*node*/) { return Flow::kContinue; }
  Result<Flow> Do(const PlainBlockStatement& node) { return Execute(*node.body); }

  Result<Flow> Do(const SetStatement& node) {
    if (node.value != nullptr) {
      FATHOM_TRY(Value value, Evaluate(*node.value));
      FATHOM_OK(Assign(node.target, std::move(value)));
      return Flow::kOn;
    }
    MarkedText outside = std::exchange(out_, MarkedText());
    FATHOM_TRY(const Flow flow, Execute(*node.body));
    Value value = Value::String(std::exchange(out_, std::move(outside)));
    for (const ExpressionPtr& filter : node.filters) {
      FATHOM_TRY(value, ApplyFilter(std::get<FilterCall>(filter->node), value));
    }
    FATHOM_OK(Assign(node.target, std::move(value)));
    return flow;
  }

  Result<Flow> Do(const IfStatement& node) {
    for (const auto& [condition, body] : node.branches) {
      FATHOM_TRY(const Value value, Evaluate(*condition));
      if (value.Truthy()) return Execute(body);
    }
    return Execute(node.otherwise);
  }

  Result<Flow> Do(const MacroStatement& node) {
    scopes_.back()[node.name] = Value::OfMacro({&node, scopes_.size()});
    return Flow::kOn;
  }

  Result<Flow> Do(const ForStatement& node) {
    FATHOM_TRY(const Value over, Evaluate(*node.items));
    FATHOM_TRY(auto items, Iterate(over, budget_));
    if (node.condition != nullptr) {
      FATHOM_TRY(items, Filtered(node, *items));
    }
    if (items->items.empty() && node.otherwise != nullptr) return Execute(*node.otherwise);
    for (size_t i = 0; i < items->items.size(); ++i) {
      FATHOM_OK(budget_.Steps());
      scopes_.emplace_back();
      FATHOM_OK(Assign(node.target, items->items[i]));
      scopes_.back()["loop"] = Value::OfLoop({items, i});
      FATHOM_TRY(const Flow flow, Execute(*node.body));
      scopes_.pop_back();
      if (flow == Flow::kBreak) break;
    }
    return Flow::kOn;
  }

  // The items for which the loop's own condition holds.
  Result<std::shared_ptr<const ListData>> Filtered(const ForStatement& node,
                                                   const ListData& items) {
    Values kept;
    for (const Value& item : items.items) {
      scopes_.emplace_back();
      FATHOM_OK(Assign(node.target, item));
      FATHOM_TRY(const Value holds, Evaluate(*node.condition));
      scopes_.pop_back();
      if (holds.Truthy()) kept.push_back(item);
    }
    FATHOM_TRY(const Value list, Value::List(std::move(kept)));
    return *list.shared_list();
  }

  Status Assign(const Target& target, Value value) {
    if (!target.attribute.empty()) {
      Namespace* space = Lookup(target.names[0]).space();
      if (space == nullptr) {
        return TemplateError(
            Format("\"{}\" is not a namespace: its attributes cannot be set", target.names[0]));
      }
      space->attributes[target.attribute] = std::move(value);
      return Ok();
    }
    if (!target.unpacks) {
      scopes_.back()[target.names[0]] = std::move(value);
      return Ok();
    }
    FATHOM_TRY(const auto items, Iterate(value, budget_));
    if (items->items.size() != target.names.size()) {
      return TemplateError(
          Format("{} values for {} names", items->items.size(), target.names.size()));
    }
    for (size_t i = 0; i < target.names.size(); ++i) {
      scopes_.back()[target.names[i]] = items->items[i];
    }
    return Ok();
  }

  // --- Expressions

  Result<Value> Evaluate(const Expression& expression) {
    Result<Value> value = EvaluateHere(expression);
    if (!value.ok()) return AtLine(expression.line, std::move(value).error());
    return value;
  }
  Result<Value> EvaluateHere(const Expression& expression) {
    FATHOM_OK(budget_.Steps());
    const Nested nested(nesting_);
    FATHOM_OK(nested.Check());
    return std::visit([this](const auto& node) { return Get(node); }, expression.node);
  }

  Value Lookup(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto place = scope->find(name);
      if (place != scope->end()) return place->second;
    }
    return Value::MakeUndefined(Format("'{}' is undefined", name));
  }

  Result<Value> Get(const Literal& node) { return node.value; }
  Result<Value> Get(const Name& node) { return Lookup(node.name); }

  Result<Values> GetAll(const std::vector<ExpressionPtr>& expressions) {
    Values values;
    for (const ExpressionPtr& expression : expressions) {
      FATHOM_TRY(Value value, Evaluate(*expression));
      values.push_back(std::move(value));
    }
    return values;
  }
  Result<Arguments> GetArguments(const CallArguments& node) {
    Arguments arguments;
    FATHOM_TRY(arguments.positional, GetAll(node.positional));
    for (const auto& [name, expression] : node.named) {
      FATHOM_TRY(Value value, Evaluate(*expression));
      arguments.named.emplace_back(name, std::move(value));
    }
    return arguments;
  }

  Result<Value> Get(const ListLiteral& node) {
    FATHOM_TRY(Values items, GetAll(node.items));
    return Value::List(std::move(items), node.is_tuple);
  }

  Result<Value> Get(const DictLiteral& node) {
    std::vector<Member> members;
    for (const auto& [key_node, value_node] : node.members) {
      FATHOM_TRY(const Value key, Evaluate(*key_node));
      FATHOM_TRY(Value value, Evaluate(*value_node));
      if (!key.is_string()) {
        return TemplateError(Format("a dict's keys are strings, not {}", key.TypeName()));
      }
      FATHOM_OK(AddMember(*key.string(), std::move(value), members, budget_));
    }
    return Value::Dict(std::move(members));
  }
  Result<Value> Get(const Attribute& node) {
    FATHOM_TRY(const Value object, Evaluate(*node.object));
    return GetAttribute(object, node.name, budget_);
  }
  Result<Value> Get(const Subscript& node) {
    FATHOM_TRY(const Value object, Evaluate(*node.object));
    FATHOM_TRY(const Value index, Evaluate(*node.index));
    return GetItem(object, index, budget_);
  }

  Result<std::optional<int64_t>> GetBound(const ExpressionPtr& expression) {
    if (expression == nullptr) return std::optional<int64_t>();
    FATHOM_TRY(const Value value, Evaluate(*expression));
    if (value.is_none()) return std::optional<int64_t>();
    if (value.integer().has_value()) return value.integer();
    return TemplateError(Format("a slice needs integers, not {}", value.TypeName()));
  }
  Result<Value> Get(const Slice& node) {
    FATHOM_TRY(const Value object, Evaluate(*node.object));
    SliceBounds bounds;
    FATHOM_TRY(bounds.begin, GetBound(node.begin));
    FATHOM_TRY(bounds.end, GetBound(node.end));
    FATHOM_TRY(bounds.step, GetBound(node.step));
    return GetSlice(object, bounds, budget_);
  }

  Result<Value> Get(const FilterCall& node) {
    FATHOM_TRY(const Value input, Evaluate(*node.input));
    return ApplyFilter(node, input);
  }
  Result<Value> ApplyFilter(const FilterCall& node, const Value& input) {
    FATHOM_TRY(const Arguments arguments, GetArguments(node.arguments));
    return RunFilter(*node.filter, input, arguments, budget_);
  }
  Result<Value> Get(const PredicateCall& node) {
    FATHOM_TRY(const Value input, Evaluate(*node.input));
    FATHOM_TRY(const Arguments arguments, GetArguments(node.arguments));
    FATHOM_TRY(const bool holds, RunPredicate(*node.predicate, input, arguments, budget_));
    return Value::Bool(holds != node.negated);
  }

  Result<Value> Get(const Unary& node) {
    FATHOM_TRY(const Value value, Evaluate(*node.operand));
    if (node.op == UnaryOperator::kNot) return Value::Bool(!value.Truthy());
    if (node.op == UnaryOperator::kMinus) return Negate(value);
    if (value.is_number()) return value;
    return TemplateError(Format("+{} is not supported", value.TypeName()));
  }

  Result<Value> Get(const Binary& node) {
    FATHOM_TRY(const Value left, Evaluate(*node.left));
    if (node.op == BinaryOperator::kAnd) return left.Truthy() ? Evaluate(*node.right) : left;
    if (node.op == BinaryOperator::kOr) return left.Truthy() ? left : Evaluate(*node.right);
    FATHOM_TRY(const Value right, Evaluate(*node.right));
    return Arithmetic(node.op, left, right, budget_);
  }

  Result<Value> Get(const Compared& node) {
    FATHOM_TRY(Value left, Evaluate(*node.first));
    for (const auto& [comparison, expression] : node.rest) {
      FATHOM_TRY(Value right, Evaluate(*expression));
      FATHOM_TRY(const bool holds, Holds(comparison, left, right));
      if (!holds) return Value::Bool(false);
      left = std::move(right);
    }
    return Value::Bool(true);
  }
  Result<bool> Holds(Comparison comparison, const Value& left, const Value& right) {
    for (const Value* value : {&left, &right}) {
      if (const MarkedText* text = value->string()) FATHOM_OK(budget_.Bytes(text->size()));
    }
    if (comparison == Comparison::kEqual || comparison == Comparison::kNotEqual) {
      FATHOM_TRY(const bool equal, Equal(left, right, budget_));
      return equal == (comparison == Comparison::kEqual);
    }
    if (comparison == Comparison::kIn || comparison == Comparison::kNotIn) {
      FATHOM_TRY(const bool contains, Contains(right, left, budget_));
      return contains == (comparison == Comparison::kIn);
    }
    FATHOM_TRY(const int order, Compare(left, right));
    if (comparison == Comparison::kLess) return order < 0;
    if (comparison == Comparison::kLessEqual) return order <= 0;
    return comparison == Comparison::kGreater ? order > 0 : order >= 0;
  }

  Result<Value> Get(const Conditional& node) {
    FATHOM_TRY(const Value condition, Evaluate(*node.condition));
    if (condition.Truthy()) return Evaluate(*node.then);
    if (node.otherwise != nullptr) return Evaluate(*node.otherwise);
    return Value::MakeUndefined("the condition does not hold and there is no else");
  }

  // --- Calls

  Result<Value> Get(const Call& node) {
    FATHOM_TRY(const Value callee, Evaluate(*node.callee));
    FATHOM_TRY(const Arguments arguments, GetArguments(node.arguments));
    return CallValue(callee, arguments);
  }

  Result<Value> CallValue(const Value& callee, const Arguments& arguments) {
    if (const std::string* what = callee.undefined()) return TemplateError(*what);
    if (const MacroData* macro = callee.macro()) return CallMacro(*macro, arguments);
    if (const MethodData* method = callee.method()) {
      return CallMethod(method->object, method->name, arguments, budget_);
    }
    const std::optional<Function> function = callee.function();
    if (!function.has_value()) {
      return TemplateError(Format("{} cannot be called", callee.TypeName()));
    }
    switch (*function) {
      case Function::kRange:
        return Range(arguments, budget_);
      case Function::kDict:
        return MakeDict(arguments, budget_);
      case Function::kNamespace:
        return MakeNamespace(arguments);
      case Function::kRaiseException:
        return RaiseException(arguments, budget_);
      case Function::kStrftimeNow:
        return StrftimeNow(arguments, date_, budget_);
    }
    return Value();
  }

  Result<Value> MakeNamespace(const Arguments& arguments) {
    FATHOM_TRY(const Value initial, MakeDict(arguments, budget_));
    namespaces_.push_back(std::make_unique<Namespace>());
    for (const Member& member : initial.dict()->members) {
      namespaces_.back()->attributes[member.key.text()] = member.value;
    }
    return Value::OfNamespace(namespaces_.back().get());
  }

  // A macro sees the scopes around the place where it stands, not those of its caller.
  Result<Value> CallMacro(const MacroData& macro, const Arguments& arguments) {
    const MacroStatement& statement = *macro.statement;
    const size_t seen = std::min(macro.scopes, scopes_.size());
    std::vector<Scope> hidden(
        std::make_move_iterator(scopes_.begin() + static_cast<ptrdiff_t>(seen)),
        std::make_move_iterator(scopes_.end()));
    scopes_.resize(seen);
    scopes_.emplace_back();
    FATHOM_OK(BindMacro(statement, arguments));
    MarkedText outside = std::exchange(out_, MarkedText());
    FATHOM_TRY([[maybe_unused]] const Flow flow, Execute(*statement.body));
    Value text = Value::String(std::exchange(out_, std::move(outside)));
    scopes_.resize(seen);
    std::move(hidden.begin(), hidden.end(), std::back_inserter(scopes_));
    return text;
  }

  Status BindMacro(const MacroStatement& statement, const Arguments& arguments) {
    std::string names;
    for (const auto& [name, fallback] : statement.parameters) {
      names += (names.empty() ? "" : " ") + name;
    }
    FATHOM_TRY(const Values bound, Bind(statement.name, {names, 0}, arguments));
    for (size_t i = 0; i < bound.size(); ++i) {
      const auto& [name, fallback] = statement.parameters[i];
      Value value = bound[i];
      if (value.is_undefined() && fallback != nullptr) {
        FATHOM_TRY(value, Evaluate(*fallback));
      }
      scopes_.back()[name] = std::move(value);
    }
    return Ok();
  }

  // --- What bounds and places errors

  class Nested {
   public:
    explicit Nested(int& depth) : depth_(depth) { ++depth_; }
    ~Nested() { --depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    Status Check() const {
      if (depth_ <= kMostNesting) return Ok();
      return TemplateError(Format("evaluation nested deeper than {} levels", kMostNesting));
    }

   private:
    int& depth_;
  };

  static Error AtLine(int line, Error error) {
    if (error.where.empty()) error.where = Format("line {}", line);
    return error;
  }

  std::string_view date_;
  Budget budget_;
  MarkedText out_;
  std::vector<Scope> scopes_;  // innermost last
  std::vector<std::unique_ptr<Namespace>> namespaces_;
  int nesting_ = 0;
};

}  // namespace

Result<MarkedText> RenderTemplate(const Block& block, Scope variables, std::string_view date) {
  return Evaluator(std::move(variables), date).Render(block);
}

}  // namespace fathom::jinja
