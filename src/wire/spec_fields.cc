#include "wire/spec_fields.h"

#include <algorithm>

#include "wire/spec_values.h"

namespace gpusched {
namespace {

template <class Row>
using PartOf = typename std::remove_cvref_t<Row>::Part;
template <class Row>
using FormOf = typename std::remove_cvref_t<Row>::Form;
template <class Row>
constexpr bool kIsNeed =
    std::is_same_v<PartOf<Row>, Needs> || std::is_same_v<PartOf<Row>, CardFilter>;

template <class Row>
bool read_field(Fields& fields, std::string_view name, const Row& row, JobSpec& spec) {
  auto value = row.in(spec);
  if (!read_value(FieldAsked{fields, name, row.terms}, value, FormOf<Row>{})) return false;
  row.put(spec, std::move(value));
  return true;
}

template <class Row>
void write_field(JsonWriter& json, std::string_view name, const Row& row, const JobSpec& spec) {
  json.key(name);
  write_value(json, row.in(spec), FormOf<Row>{});
}

template <class Row>
bool at_default(const Row& row, const JobSpec& spec) {
  static const JobSpec kDefault;
  return row.in(spec) == row.in(kDefault);
}

// Those that `wanted` takes.
template <class Wanted>
void read_fields(Fields& fields, JobSpec& spec, Wanted wanted) {
  bool cpus = false;
  for_each_spec_field([&](const auto& row) {
    if (wanted(row) && read_field(fields, row.name, row, spec)) cpus = cpus || row.name == "cpus";
  });
  // A job without a card computes on a processor.
  if (!cpus) spec.needs.cpus = spec.needs.wants_cards() ? 0 : 1;
}

}  // namespace

void read_spec_fields(Fields& fields, JobSpec& spec, SpecSource source) {
  read_fields(fields, spec, [source](const auto& row) {
    return source == SpecSource::kStore || !row.terms.stored_only;
  });
}

void read_spec_fields(Fields& fields, JobSpec& spec, std::span<const std::string_view> names) {
  for_each_spec_field([&](const auto& row) {
    if (std::ranges::find(names, row.name) != names.end()) read_field(fields, row.name, row, spec);
  });
}

void read_needs(Fields& fields, JobSpec& spec) {
  read_fields(fields, spec, [](const auto& row) { return kIsNeed<decltype(row)>; });
}

void read_patch_fields(Fields& fields, JobPatch& patch) {
  patch.fill([&](const auto& row, auto& value) {
    // A time has no other word for none.
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, std::optional<Wall>>) {
      if (fields.is_null(row.name)) return true;
    }
    return read_value(FieldAsked{fields, row.name, row.terms}, value, FormOf<decltype(row)>{});
  });
  for_each_spec_field([&](const auto& row) {
    if (row.terms.set == Settable::kNever && fields.value(row.name) != nullptr) {
      fields.fault(row.name, "cannot change once a job is submitted");
    }
  });
}

JobSpec read_shown_fields(const JsonValue& details) {
  JobSpec spec;
  Fields fields(details);
  for_each_spec_field([&](const auto& row) {
    if constexpr (!kIsNeed<decltype(row)>) {
      if (row.terms.shown != Shown::kNowhere) read_field(fields, row.shown_name(), row, spec);
    }
  });
  if (const JsonValue* needs = fields.value("needs")) spec.needs = read_shown_needs(*needs);
  return spec;
}

Needs read_shown_needs(const JsonValue& needs) {
  JobSpec spec;
  Fields fields(needs);
  for_each_spec_field([&](const auto& row) {
    if constexpr (kIsNeed<decltype(row)>) read_field(fields, row.name, row, spec);
  });
  return std::move(spec.needs);
}

void write_stored_fields(JsonWriter& json, const JobSpec& spec) {
  for_each_spec_field([&](const auto& row) {
    if (row.terms.stored_at_default || !at_default(row, spec)) {
      write_field(json, row.name, row, spec);
    }
  });
}

void write_needs_fields(JsonWriter& json, const JobSpec& spec) {
  for_each_spec_field([&](const auto& row) {
    if constexpr (kIsNeed<decltype(row)>) write_field(json, row.name, row, spec);
  });
}

void write_needs(JsonWriter& json, const Needs& needs) {
  JobSpec spec;
  spec.needs = needs;
  json.begin_object();
  write_needs_fields(json, spec);
  json.end_object();
}

void write_shown_fields(JsonWriter& json, const JobSpec& spec, bool places) {
  for_each_spec_field([&](const auto& row) {
    const Shown shown = row.terms.shown;
    if (shown != Shown::kDetails && !(shown == Shown::kPlaces && places)) return;
    if (row.terms.null_at_default && at_default(row, spec)) {
      json.key(row.shown_name()).null();
    } else {
      write_field(json, row.shown_name(), row, spec);
    }
  });
}

}  // namespace gpusched
