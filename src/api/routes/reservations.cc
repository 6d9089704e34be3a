// GET and POST /v1/reservations, DELETE /v1/reservations/{id}
#include <algorithm>
#include <utility>

#include "api/answers.h"
#include "api/routes/routes.h"
#include "base/number.h"
#include "json/json_fields.h"
#include "json/json_writer.h"
#include "wire/labels.h"
#include "wire/spec_values.h"

namespace gpusched {
namespace {

constexpr int kCountMost = 4096;

void write_reservation(JsonWriter& json, const StateView& state, const Reservation& reservation) {
  const auto text_of = [](const std::string& text) { return std::string_view(text); };
  json.begin_object()
      .field("id", reservation.id)
      .key("name")
      .text_or_null(text_of(reservation.name));
  json.key("user").text_or_null(text_of(reservation.user));
  json.key("tenant").text_or_null(text_of(reservation.tenant));
  json.field("maintenance", reservation.maintenance()).key("cards").begin_array();
  std::vector<JobId> there;
  for (const Card& card : state.cards()) {
    if (std::ranges::find(reservation.cards, card.uuid) == reservation.cards.end()) continue;
    json.begin_object().field("number", number_of(card.number)).field("uuid", card.uuid);
    json.end_object();
    for (const JobId id : state.active()) {
      const Job& job = *state.find(id);
      const bool on = given_on(job, card.number) != nullptr;
      if (on && !reservation.admits(job) && std::ranges::find(there, id) == there.end()) {
        there.push_back(id);
      }
    }
  }
  json.end_array().key("jobs_of_others").begin_array();
  for (const JobId id : there) json.value(id);
  json.end_array().field("from", reservation.from).field("until", reservation.until);
  json.field("by", reservation.by).end_object();
}

std::string reservations_json(const StateView& state, const std::vector<Reservation>& reservations,
                              bool dry_run) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).key("reservations").begin_array();
  for (const Reservation& reservation : reservations) write_reservation(json, state, reservation);
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
  Reservation& reservation = asked.reservation;
  read_card_list(fields, "cards", asked.cards);
  fields.number("count", asked.count, 0, kCountMost);
  fields.text("user", reservation.user);
  fields.text("tenant", reservation.tenant);
  fields.text("name", reservation.name);
  fields.flag("maintenance", asked.maintenance);
  std::optional<Wall> from;
  std::optional<Wall> until;
  Seconds length{0};
  fields.time("from", from);
  fields.time("until", until);
  fields.seconds("for_s", length);
  if (until.has_value() == (length > Seconds{0})) fields.fault("until", "or for_s must be given");
  if (asked.maintenance && !reservation.maintenance()) {
    fields.fault("maintenance", "is for no user and no tenant");
  }
  if (!asked.cards.empty() && asked.count > 0)
    fields.fault("count", "and cards exclude each other");
  if (Result<void> read = fields.finish(); !read) return failure(read.error());
  for (const auto& [field, text] :
       {std::pair("name", &reservation.name), std::pair("user", &reservation.user),
        std::pair("tenant", &reservation.tenant)}) {
    if (auto fault = fault_of_label(field, *text)) return failure(ErrorCode::kInvalid, *fault);
  }
  reservation.from = from.value_or(now.wall);
  reservation.until = until.value_or(reservation.from + length);
  return asked;
}

void answer_with_reservation(Context& context, const Call& call, const Result<Answer>& answer) {
  if (!answer) return call.responder.fail(answer.error());
  std::vector<Reservation> reservations;
  if (const auto* changed = std::get_if<ReservationChanged>(&*answer))
    reservations.push_back(changed->reservation);
  call.responder.send(
      json_response(reservations_json(context.state(), reservations, call.dry_run)));
}

// The asker's name decides what may be done; finding it may take a while.
template <class Asked>
void ask_with_name(Context& context, const Call& call, const Asked& asked) {
  with_named_actor(context, call, [&context, asked](const Call& named) {
    Asked whole = asked;
    whole.actor = named.actor;
    ask_engine(context, named, std::move(whole), [&context, named](const Result<Answer>& answer) {
      answer_with_reservation(context, named, answer);
    });
  });
}

}  // namespace

void list_reservations(Context& context, Call call) {
  std::vector<Reservation> reservations;
  for (const auto& [id, reservation] : context.state().reservations())
    reservations.push_back(reservation);
  for (const Reservation& reservation : context.state().calendar())
    reservations.push_back(reservation);
  std::ranges::stable_sort(reservations, {}, &Reservation::from);
  call.responder.send(json_response(reservations_json(context.state(), reservations, false)));
}

void make_reservation(Context& context, Call call) {
  Result<ReserveAsked> asked = parse_reserve(call.request.body, context.now());
  if (!asked) return call.responder.fail(asked.error());
  if (asked->reservation.user.empty()) return ask_with_name(context, call, *asked);
  context.names.look_for(asked->reservation.user, [&context, call, asked = *asked](bool there) {
    if (!there) {
      return call.responder.fail(
          {ErrorCode::kNotFound,
           "there is no user '" + asked.reservation.user + "' on this machine"});
    }
    context.after_commit.run(call.actor.account(),
                             [&context, call, asked] { ask_with_name(context, call, asked); });
  });
}

void remove_reservation(Context& context, Call call) {
  const std::string& text = call.captured.at(0);
  UnreserveAsked asked;
  if (!whole_number(text, asked.id)) {
    return call.responder.fail(
        {ErrorCode::kInvalid, "'" + text + "' is not the number of a reservation"});
  }
  ask_with_name(context, call, asked);
}

}  // namespace gpusched
