#include "store/kept_change_row.h"

#include <utility>

#include "core/access/roles.h"
#include "json/json_value.h"
#include "json/json_writer.h"

namespace gpusched {
namespace {

std::int64_t microseconds_of(Wall time) { return time.time_since_epoch().count(); }

std::uint64_t number_in(const JsonValue& object, std::string_view name) {
  const JsonValue* field = object.find(name);
  const auto* number = field == nullptr ? nullptr : field->as<std::uint64_t>();
  return number == nullptr ? 0 : *number;
}

std::string text_in(const JsonValue& object, std::string_view name) {
  const JsonValue* field = object.find(name);
  const auto* text = field == nullptr ? nullptr : field->as<std::string>();
  return text == nullptr ? std::string() : *text;
}

template <class Take>
void each_in(const JsonValue& object, std::string_view name, Take take) {
  const JsonValue* field = object.find(name);
  const auto* list = field == nullptr ? nullptr : field->as<JsonArray>();
  if (list == nullptr) return;
  for (const JsonValue& one : *list) take(one);
}

void write_answer(JsonWriter& json, const Submitted& submitted) {
  json.field("first", number_of(submitted.first)).field("count", submitted.count);
}

void write_answer(JsonWriter& json, const Changed& changed) {
  json.key("changed").begin_array();
  for (const JobId id : changed.jobs) json.value(id);
  json.end_array().key("unchanged").begin_array();
  for (const auto& [id, why] : changed.unchanged) {
    json.begin_object().field("id", number_of(id)).field("why", why).end_object();
  }
  json.end_array();
}

void write_answer(JsonWriter& json, const ReservationChanged& changed) {
  const Reservation& row = changed.reservation;
  json.field("reservation", row.id).field("name", row.name).field("user", row.user);
  json.field("tenant", row.tenant).field("by", row.by);
  json.field("from", microseconds_of(row.from)).field("until", microseconds_of(row.until));
  json.key("cards").begin_array();
  for (const std::string& uuid : row.cards) json.value(uuid);
  json.end_array();
}

void write_answer(JsonWriter&, const std::monostate&) {}
void write_answer(JsonWriter&, const Refusal&) {}  // Never kept.

Changed changed_in(const JsonValue& value) {
  Changed changed;
  each_in(value, "changed", [&](const JsonValue& one) {
    if (const auto* id = one.as<std::uint64_t>()) changed.jobs.push_back(JobId{*id});
  });
  each_in(value, "unchanged", [&](const JsonValue& one) {
    changed.unchanged.emplace_back(JobId{number_in(one, "id")}, text_in(one, "why"));
  });
  return changed;
}

ReservationChanged reservation_in(const JsonValue& value) {
  const auto time = [&value](std::string_view name) {
    return Wall(Microseconds(static_cast<std::int64_t>(number_in(value, name))));
  };
  ReservationChanged changed{{.id = number_in(value, "reservation"),
                              .name = text_in(value, "name"),
                              .user = text_in(value, "user"),
                              .tenant = text_in(value, "tenant"),
                              .cards = {},
                              .from = time("from"),
                              .until = time("until"),
                              .by = text_in(value, "by")}};
  each_in(value, "cards", [&](const JsonValue& one) {
    if (const auto* uuid = one.as<std::string>()) changed.reservation.cards.push_back(*uuid);
  });
  return changed;
}

}  // namespace

std::string answer_to_text(const Answer& answer) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  std::visit([&json](const auto& one) { write_answer(json, one); }, answer);
  json.end_object();
  return text;
}

std::optional<Answer> answer_from_text(std::string_view text) {
  const Result<JsonValue> read = parse_json(text);
  if (!read) return std::nullopt;
  if (read->find("first") != nullptr) {
    return Submitted{JobId{number_in(*read, "first")}, number_in(*read, "count")};
  }
  if (read->find("changed") != nullptr) return changed_in(*read);
  if (read->find("reservation") != nullptr) return reservation_in(*read);
  return std::monostate{};
}

Result<void> put_kept_change(Statement& put, const KeptChange& change) {
  const std::optional<std::string> answer =
      change.answer ? std::optional(answer_to_text(*change.answer)) : std::nullopt;
  return put.run(change.key.account, role_name(change.key.role), change.key.key, change.digest,
                 microseconds_of(change.at), change.over, change.changed, change.token, answer);
}

Result<void> delete_kept_change(Statement& remove, const KeptChangeKey& key) {
  return remove.run(key.account, role_name(key.role), key.key);
}

std::optional<KeptChange> read_kept_change(const Statement& select) {
  const auto role = role_named(select.text(1));
  if (!role) return std::nullopt;
  KeptChange change;
  change.key = {static_cast<std::uint32_t>(select.integer(0)), *role, std::string(select.text(2))};
  change.digest = select.text(3);
  change.at = Wall(Microseconds(select.integer(4)));
  change.over = select.integer(5) != 0;
  change.changed = static_cast<std::uint64_t>(select.integer(6));
  change.token = select.text(7);
  if (!select.is_null(8)) change.answer = answer_from_text(select.text(8));
  return change;
}

}  // namespace gpusched
