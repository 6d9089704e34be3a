// How the values of a spec's fields look in JSON: one writer and one strict reader for each type.
// A field is read with `terms` for its range; false: it is absent, or wrong and a fault by now.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/spec_fields.h"
#include "json/json_fields.h"
#include "json/json_writer.h"

namespace gpusched {

inline constexpr int kCardsMost = 4096;

template <class T>
requires requires(JsonWriter& json, const T& value) { json.value(value); }
void write_value(JsonWriter& json, const T& value, Plain) { json.value(value); }
void write_value(JsonWriter& json, const std::vector<std::string>& texts, Plain);
void write_value(JsonWriter& json, const CardCount& count, Plain);
void write_value(JsonWriter& json, const CardList& cards, Plain);
void write_value(JsonWriter& json, CpuUse use, Plain);
void write_value(JsonWriter& json, PreemptPolicy policy, Plain);
void write_value(JsonWriter& json, Attach attach, Plain);
void write_value(JsonWriter& json, const std::vector<Dependency>& after, Plain);
void write_value(JsonWriter& json, CauseSet causes, Plain);
void write_value(JsonWriter& json, const std::shared_ptr<const ResourceLimits>& limits, Plain);
void write_value(JsonWriter& json, const std::shared_ptr<const SaveTerms>& saves, Plain);
void write_value(JsonWriter& json, const TimeRule& time, AsWarnSignal);
void write_value(JsonWriter& json, const SpecExtras& extras, AsTerminal);
void write_value(JsonWriter& json, int limit, AsArrayLimit);

// "name":["…"]
void write_strings(JsonWriter& json, std::string_view name, const std::vector<std::string>& list);

// A field as a reader sees it: the object it is in, its name there, its range.
struct FieldAsked {
  Fields& fields;
  std::string_view name;
  const FieldTerms& terms;
};
bool read_value(const FieldAsked& asked, std::string& out, Plain);
bool read_value(const FieldAsked& asked, std::vector<std::string>& out, Plain);
bool read_value(const FieldAsked& asked, bool& out, Plain);
bool read_value(const FieldAsked& asked, int& out, Plain);
bool read_value(const FieldAsked& asked, std::uint32_t& out, Plain);
bool read_value(const FieldAsked& asked, std::uint64_t& out, Plain);
bool read_value(const FieldAsked& asked, Seconds& out, Plain);
bool read_value(const FieldAsked& asked, std::optional<Wall>& out, Plain);
bool read_value(const FieldAsked& asked, CardCount& out, Plain);
bool read_value(const FieldAsked& asked, CardList& out, Plain);
bool read_value(const FieldAsked& asked, CpuUse& out, Plain);
bool read_value(const FieldAsked& asked, PreemptPolicy& out, Plain);
bool read_value(const FieldAsked& asked, Attach& out, Plain);
bool read_value(const FieldAsked& asked, std::vector<Dependency>& out, Plain);
bool read_value(const FieldAsked& asked, CauseSet& out, Plain);
bool read_value(const FieldAsked& asked, std::shared_ptr<const ResourceLimits>& out, Plain);
bool read_value(const FieldAsked& asked, std::shared_ptr<const SaveTerms>& out, Plain);
bool read_value(const FieldAsked& asked, TimeRule& out, AsWarnSignal);
bool read_value(const FieldAsked& asked, SpecExtras& out, AsTerminal);
bool read_value(const FieldAsked& asked, int& out, AsArrayLimit);

// Numbers, and aliases or tags as strings.
bool read_card_list(Fields& fields, std::string_view name, CardList& cards);

}  // namespace gpusched
