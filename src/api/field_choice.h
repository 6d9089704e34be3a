// `fields=id,state,name`: the fields of each job that a client wants, and no others.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gpusched {

class FieldChoice {
 public:
  explicit FieldChoice(std::set<std::string, std::less<>> names) : names_(std::move(names)) {}
  bool has(std::string_view name) const { return names_.contains(name); }
  // True if a row has to say why its job waits, which costs as much as all the rest.
  bool asks_why() const;
  // Appends the chosen fields of `object`, which a JsonWriter wrote, in the order they have there.
  void append(std::string& out, std::string_view object) const;

 private:
  std::set<std::string, std::less<>> names_;
};

enum class RowKind { kRow, kDetails };
// Nothing: all of them. A name that such a row does not have is kInvalid.
Result<std::optional<FieldChoice>> parse_fields(const std::map<std::string, std::string>& query,
                                                RowKind kind);

}  // namespace gpusched
