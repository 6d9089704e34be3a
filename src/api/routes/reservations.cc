// GET and POST /v1/reservations, DELETE /v1/reservations/{id}
#include <algorithm>
#include <charconv>
#include <utility>

#include "api/answers.h"
#include "api/routes/routes.h"
#include "json/json_fields.h"
#include "json/json_writer.h"
#include "wire/labels.h"
#include "wire/spec_values.h"

namespace gpusched {
namespace {

constexpr int kCountMost = 4096;

void write_booking(JsonWriter& json, const StateView& state, const Booking& booking) {
  const auto text_of = [](const std::string& text) { return std::string_view(text); };
  json.begin_object().field("id", booking.id).key("name").text_or_null(text_of(booking.name));
  json.key("user").text_or_null(text_of(booking.user));
  json.key("tenant").text_or_null(text_of(booking.tenant));
  json.field("maintenance", booking.maintenance()).key("cards").begin_array();
  std::vector<JobId> there;
  for (const Card& card : state.cards()) {
    if (std::ranges::find(booking.cards, card.uuid) == booking.cards.end()) continue;
    json.begin_object().field("number", number_of(card.number)).field("uuid", card.uuid);
    json.end_object();
    for (const JobId id : state.active()) {
      const Job& job = *state.find(id);
      const bool on = given_on(job, card.number) != nullptr;
      if (on && !booking.admits(job) && std::ranges::find(there, id) == there.end()) {
        there.push_back(id);
      }
    }
  }
  json.end_array().key("jobs_of_others").begin_array();
  for (const JobId id : there) json.value(id);
  json.end_array().field("from", booking.from).field("until", booking.until);
  json.field("by", booking.by).end_object();
}

std::string bookings_json(const StateView& state, const std::vector<Booking>& bookings,
                          bool dry_run) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).key("reservations").begin_array();
  for (const Booking& booking : bookings) write_booking(json, state, booking);
  json.end_array();
  if (dry_run) json.field("dry_run", true);
  json.end_object();
  return out;
}

Result<ReserveAsked> parse_reserve(const std::string& body, Now now) {
  Result<JsonValue> value = parse_json(body);
  if (!value) return failure(value.error());
  Fields fields(*value);
  ReserveAsked asked;
  Booking& booking = asked.booking;
  read_card_list(fields, "cards", asked.cards);
  fields.number("count", asked.count, 0, kCountMost);
  fields.text("user", booking.user);
  fields.text("tenant", booking.tenant);
  fields.text("name", booking.name);
  fields.flag("maintenance", asked.maintenance);
  std::optional<Wall> from;
  std::optional<Wall> until;
  Seconds length{0};
  fields.time("from", from);
  fields.time("until", until);
  fields.seconds("for_s", length);
  if (until.has_value() == (length > Seconds{0})) fields.fault("until", "or for_s must be given");
  if (asked.maintenance && !booking.maintenance()) {
    fields.fault("maintenance", "is for no user and no tenant");
  }
  if (!asked.cards.empty() && asked.count > 0)
    fields.fault("count", "and cards exclude each other");
  if (Result<void> read = fields.finish(); !read) return failure(read.error());
  for (const auto& [field, text] :
       {std::pair("name", &booking.name), std::pair("user", &booking.user),
        std::pair("tenant", &booking.tenant)}) {
    if (auto fault = fault_of_label(field, *text)) return failure(ErrorCode::kInvalid, *fault);
  }
  booking.from = from.value_or(now.wall);
  booking.until = until.value_or(booking.from + length);
  return asked;
}

void answer_booked(Context& context, const Call& call, const Result<Answer>& answer) {
  if (!answer) return call.responder.fail(answer.error());
  std::vector<Booking> bookings;
  if (const auto* booked = std::get_if<Booked>(&*answer)) bookings.push_back(booked->booking);
  call.responder.send(json_response(bookings_json(context.state(), bookings, call.dry_run)));
}

// The asker's name decides what may be done; finding it may take a while.
template <class Asked>
void ask_with_name(Context& context, const Call& call, const Asked& asked) {
  with_named_actor(context, call, [&context, asked](const Call& named) {
    Asked whole = asked;
    whole.actor = named.actor;
    ask_engine(context, named, std::move(whole), [&context, named](const Result<Answer>& answer) {
      answer_booked(context, named, answer);
    });
  });
}

}  // namespace

void list_reservations(Context& context, Call call) {
  std::vector<Booking> bookings;
  for (const auto& [id, booking] : context.state().bookings()) bookings.push_back(booking);
  for (const Booking& booking : context.state().calendar()) bookings.push_back(booking);
  std::ranges::stable_sort(bookings, {}, &Booking::from);
  call.responder.send(json_response(bookings_json(context.state(), bookings, false)));
}

void make_reservation(Context& context, Call call) {
  Result<ReserveAsked> asked = parse_reserve(call.request.body, context.now());
  if (!asked) return call.responder.fail(asked.error());
  ask_with_name(context, call, *asked);
}

void remove_reservation(Context& context, Call call) {
  const std::string& text = call.captured.at(0);
  UnreserveAsked asked;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, asked.id);
  if (error != std::errc() || stop != end) {
    return call.responder.fail(
        {ErrorCode::kInvalid, "'" + text + "' is not the number of a reservation"});
  }
  ask_with_name(context, call, asked);
}

}  // namespace gpusched
