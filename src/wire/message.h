// A message of the API: a struct with the list of its fields. From the list come the writer, the
// client's reader, the strict reader of a request (wire/message_json.h) and its schema in
// docs/openapi.json (wire/message_schema.h). What is not in the list does not travel.
//
//   struct Group {
//     std::string name;
//     int limit = 0;
//     static constexpr std::string_view kName = "Group";
//     static constexpr auto fields() {
//       return std::make_tuple(field("name", &Group::name), field("limit", &Group::limit));
//     }
//   };
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace gpusched::wire {

struct Terms {
  bool maybe = false;           // Left out where there is nothing to say; otherwise that is null.
  bool or_null = false;         // A text: empty is null.
  bool always = false;          // Never null; only an older daemon does not say it.
  bool must = false;            // Of a request: it has no default.
  std::uint64_t least = 0;      // Of a request's numbers.
  std::uint64_t most = 0;       // The same, or the bytes of a text; 0: any.
  std::string_view words = {};  // All that it may be: "process|connection".
  std::string_view what = {};   // For people, where the name does not say it.
};

template <class OwnerType, class ValueType>
struct Field {
  using Owner = OwnerType;
  using Value = ValueType;
  std::string_view name;
  Value Owner::*where;
  Terms terms;
};

template <class Owner, class Value>
constexpr Field<Owner, Value> field(std::string_view name, Value Owner::*where, Terms terms = {}) {
  return {name, where, terms};
}
inline constexpr Terms kMaybe = {.maybe = true};
inline constexpr Terms kOrNull = {.or_null = true};
inline constexpr Terms kAlways = {.always = true};

// A number of jobs, of which a part may be counted: whole wherever it is whole.
struct Amount {
  double is = 0;
};

template <class T>
concept IsMessage = requires {
  T::fields();
  T::kName;
};
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// Calls `visit` with every row.
template <class T, class Visit>
void for_each_field(Visit&& visit) {
  std::apply([&visit](const auto&... row) { (visit(row), ...); }, T::fields());
}

}  // namespace gpusched::wire
