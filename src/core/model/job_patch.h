// What `set` changes: values for some fields of a spec, and which fields these are.
#pragma once

#include <bitset>
#include <optional>
#include <type_traits>

#include "core/model/spec_fields.h"

namespace gpusched {

class JobPatch {
 public:
  std::optional<int> priority;
  std::optional<JobId> before;  // In the queue; alone, without other changes.

  bool changes_spec() const { return given_.any(); }
  // It has a field that can change only while a job waits.
  bool only_for_waiting() const;
  // The command, or what it finds around it.
  bool changes_what_runs() const;
  JobSpec applied_to(const JobSpec& spec) const;
  // The values of the fields that are given; the others have their defaults.
  const JobSpec& values() const { return values_; }

  template <class Part, class Value>
  bool has(Value Part::*where) const {
    bool found = false;
    each([&](const auto& row, std::size_t at) {
      if (is(row, where)) found = given_.test(at);
    });
    return found;
  }
  template <class Part, class Value>
  void put(Value Part::*where, std::type_identity_t<Value> value) {
    each([&](const auto& row, std::size_t at) {
      if constexpr (std::is_same_v<decltype(row.in(values_)), const Value&>) {
        if (!is(row, where)) return;
        row.put(values_, value);
        given_.set(at);
      }
    });
  }
  // Asks `read` for each field that can change: true if it made `value` of it.
  template <class Read>
  void fill(Read read) {
    each([&](const auto& row, std::size_t at) {
      typename std::remove_cvref_t<decltype(row)>::Value value{};
      if (row.terms.set == Settable::kNever || !read(row, value)) return;
      row.put(values_, std::move(value));
      given_.set(at);
    });
  }
  // Each field that is given.
  template <class Visit>
  void for_each_given(Visit visit) const {
    each([&](const auto& row, std::size_t at) {
      if (given_.test(at)) visit(row);
    });
  }

 private:
  template <class Visit>
  static void each(Visit visit) {
    std::size_t at = 0;
    for_each_spec_field([&](const auto& row) { visit(row, at++); });
  }
  template <class Row, class Where>
  static bool is(const Row& row, Where where) {
    if constexpr (requires { row.where == where; }) return row.where == where;
    return false;
  }

  JobSpec values_;
  std::bitset<kSpecFieldCount> given_;
};

}  // namespace gpusched
