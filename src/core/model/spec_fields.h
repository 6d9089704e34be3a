// The fields of a job's spec, once: the name that each has in JSON, where it is kept, what it may
// hold and until when `set` may change it. The store's text, the readers of POST and PATCH, the
// details of a job and the client's reader of them are made from this list (wire/spec_fields.h),
// and docs/api.md is compared with it. What is not in the list does not travel.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/model/job.h"

namespace gpusched {

enum class Settable : std::uint8_t {
  kNever,
  kWaiting,  // Only while it waits.
  kAlive,    // Until it has ended.
};

// Where an answer has it.
enum class Shown : std::uint8_t {
  kNowhere,
  kRow,      // In the row that everybody sees, which is written by hand.
  kDetails,  // In the details.
  kPlaces,   // In the details, for those who may see what it runs.
};

// The defaults are those of a new field.
struct FieldTerms {
  Settable set = Settable::kNever;
  Shown shown = Shown::kDetails;
  std::uint64_t most = 0;            // The largest number, or the bytes of a text; 0: any text.
  bool null_at_default = true;       // In details.
  bool stored_at_default = false;    // Old fields; a new one leaves the text of old specs alone.
  bool stored_only = false;          // A request says it in another way.
  std::string_view shown_name = {};  // In details, if it is another one.
  std::string_view label = {};       // `show` prints a text under this word; empty: by hand.
};

// How a value is written where its type alone does not say it.
struct Plain {};
struct AsWarnSignal {};
struct AsTerminal {};
struct AsArrayLimit {};

template <class T>
const T& extras_of(const Rare<T>& extras) {
  return *extras;
}
template <class T>
T& extras_of(Rare<T>& extras) {
  return extras.edit();
}

// The part of a spec in which a field lies; of one that is not const, to be changed.
template <class Part, class Spec>
auto& part_of(Spec& spec) {
  if constexpr (std::is_same_v<Part, Needs>) {
    return spec.needs;
  } else if constexpr (std::is_same_v<Part, CardFilter>) {
    return extras_of(spec.needs.cards);
  } else if constexpr (std::is_same_v<Part, RetryRule>) {
    return spec.retry;
  } else if constexpr (std::is_same_v<Part, TimeRule>) {
    return spec.time;
  } else if constexpr (std::is_same_v<Part, SpecExtras>) {
    return extras_of(spec.extras);
  } else {
    return spec;
  }
}

template <class PartType, class ValueType, class FormType = Plain>
struct SpecField {
  using Part = PartType;
  using Value = ValueType;  // The part itself, if the field is made of several members of it.
  using Form = FormType;
  std::string_view name;
  Value Part::*where;
  FieldTerms terms;

  template <class Spec>
  auto& of(Spec& spec) const {
    if constexpr (std::is_same_v<Part, Value>) {
      return part_of<Part>(spec);
    } else {
      return part_of<Part>(spec).*where;
    }
  }
  const Value& in(const JobSpec& spec) const { return of(spec); }
  // Leaves the rare parts of a spec where they are unless something changes.
  void put(JobSpec& spec, Value value) const {
    if (!(in(spec) == value)) of(spec) = std::move(value);
  }
  std::string_view shown_name() const { return terms.shown_name.empty() ? name : terms.shown_name; }
};

namespace spec_fields {

inline constexpr std::uint64_t kBytesMost = 1ULL << 60;
inline constexpr int kCpusMost = 1'000'000;
inline constexpr int kRetriesMost = 1000;
inline constexpr int kTasksAtOnceMost = 1'000'000;
inline constexpr std::uint64_t kLabelMost = 255;
// Of one job of a sweep. More bytes than the kernel takes as one word of a command are of no use.
inline constexpr std::size_t kParametersMost = 100;
inline constexpr std::size_t kParameterBytesMost = 128 * 1024;

template <class Part, class Value>
constexpr SpecField<Part, Value> field(std::string_view name, Value Part::*where,
                                       FieldTerms terms = {}) {
  return {name, where, terms};
}
// One of the first release: always stored, and shown as it is.
template <class Part, class Value>
constexpr SpecField<Part, Value> old(std::string_view name, Value Part::*where,
                                     FieldTerms terms = {}) {
  terms.stored_at_default = true;
  terms.null_at_default = false;
  return {name, where, terms};
}
template <class Form, class Part>
constexpr SpecField<Part, Part, Form> part(std::string_view name, FieldTerms terms) {
  return {name, nullptr, terms};
}

using enum Settable;
using enum Shown;

// In the order of the store's text, of which the digest of a submission with a key is made: rows
// do not change their places, and new ones come last.
inline constexpr auto kAll = std::make_tuple(
    old("command", &JobSpec::argv, {.set = kWaiting, .shown = kNowhere}),
    old("shell", &JobSpec::shell, {.set = kWaiting, .shown = kPlaces}),
    old("working_directory", &JobSpec::working_directory, {.set = kWaiting, .shown = kPlaces}),
    old("umask", &JobSpec::umask, {.shown = kNowhere, .most = 0777}),
    old("resource_limits", &JobSpec::limits, {.shown = kNowhere}),
    old("tags", &SpecExtras::tags, {.set = kAlive, .shown = kRow, .most = kLabelMost}),
    old("after", &SpecExtras::after, {.set = kWaiting}), old("retry_causes", &RetryRule::causes),
    old("name", &JobSpec::name, {.set = kAlive, .shown = kRow, .most = kLabelMost}),
    old("group", &JobSpec::group, {.set = kWaiting, .shown = kRow, .most = kLabelMost}),
    old("project", &JobSpec::project, {.shown = kRow, .most = kLabelMost}),
    old("key", &SpecExtras::key, {.shown = kNowhere, .most = kLabelMost}),
    old("gpus", &Needs::gpus, {.set = kWaiting, .shown = kRow}),
    old("vram_bytes", &Needs::vram_bytes, {.set = kWaiting, .shown = kRow, .most = kBytesMost}),
    old("share_percent", &Needs::share_percent, {.set = kWaiting, .shown = kRow, .most = 100}),
    old("exclusive", &Needs::exclusive, {.set = kWaiting, .shown = kRow}),
    old("cpus", &Needs::cpus, {.set = kWaiting, .shown = kRow, .most = kCpusMost}),
    old("ram_bytes", &Needs::ram_bytes, {.set = kWaiting, .shown = kRow, .most = kBytesMost}),
    old("cpu_use", &Needs::cpu_use, {.set = kWaiting, .shown = kRow}),
    old("only_cards", &CardFilter::only, {.set = kWaiting, .shown = kRow}),
    old("avoid_cards", &CardFilter::avoid, {.set = kWaiting, .shown = kRow}),
    old("card_type", &CardFilter::type, {.set = kWaiting, .shown = kRow, .most = kLabelMost}),
    old("time_limit_s", &TimeRule::limit, {.set = kAlive, .shown = kRow}),
    old("grace_s", &TimeRule::grace),
    part<AsWarnSignal, TimeRule>(
        "signal",
        {.null_at_default = false, .stored_at_default = true, .shown_name = "warn_signal"}),
    old("retries", &RetryRule::retries, {.set = kAlive, .most = kRetriesMost}),
    old("retry_back_off_s", &RetryRule::back_off), old("restartable", &JobSpec::restartable),
    old("preempt", &JobSpec::preempt), old("begin", &SpecExtras::begin, {.set = kWaiting}),
    old("expire", &SpecExtras::expire, {.set = kWaiting}),
    field("deadline", &SpecExtras::deadline, {.set = kAlive}),
    field("output_path", &SpecExtras::output_path, {.shown = kPlaces, .stored_at_default = true}),
    field("error_path", &SpecExtras::error_path, {.shown = kPlaces, .stored_at_default = true}),
    old("attach", &JobSpec::attach),
    part<AsTerminal, SpecExtras>("terminal", {.shown = kNowhere, .stored_at_default = true}),
    SpecField<SpecExtras, int, AsArrayLimit>{
        "array",
        &SpecExtras::array_limit,
        {.shown = kNowhere, .most = kTasksAtOnceMost, .stored_only = true}},
    field("vram_limit_bytes", &SpecExtras::vram_limit_bytes, {.set = kAlive, .most = kBytesMost}),
    field("checkpoint", &JobSpec::saves),
    field("comment", &SpecExtras::comment,
          {.set = kAlive, .shown = kPlaces, .most = 1000, .label = "Comment"}),
    // Like the environment, for the owner's eyes only.
    field("variables", &SpecExtras::variables, {.set = kWaiting, .shown = kNowhere}),
    field("shell_program", &SpecExtras::shell_program,
          {.set = kWaiting, .shown = kPlaces, .most = kLabelMost, .label = "Shell"}),
    field("detached", &SpecExtras::detached, {.set = kWaiting, .null_at_default = false}),
    field("notify", &SpecExtras::notify, {.set = kAlive, .shown = kPlaces, .most = kLabelMost}));

}  // namespace spec_fields

inline constexpr std::size_t kSpecFieldCount =
    std::tuple_size_v<std::remove_cvref_t<decltype(spec_fields::kAll)>>;

// Calls `visit` with every row.
template <class Visit>
void for_each_spec_field(Visit&& visit) {
  std::apply([&visit](const auto&... row) { (visit(row), ...); }, spec_fields::kAll);
}

}  // namespace gpusched
