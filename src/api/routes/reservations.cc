// GET and POST /v1/reservations, DELETE /v1/reservations/{id}
#include <algorithm>
#include <utility>

#include "api/answers.h"
#include "api/routes/routes.h"
#include "api/veil.h"
#include "base/number.h"
#include "wire/labels.h"
#include "wire/message_json.h"
#include "wire/messages/machine.h"

namespace gpusched {
namespace {

wire::Reservation answer_of(const StateView& state, const Reservation& reservation,
                            const Veil& veil) {
  wire::Reservation answer{.id = reservation.id,
                           .name = reservation.name,
                           .user = reservation.user,
                           .tenant = reservation.tenant,
                           .maintenance = reservation.maintenance(),
                           .from = reservation.from,
                           .until = reservation.until,
                           .by = reservation.by};
  std::vector<std::uint64_t>& there = answer.jobs_of_others;
  for (const Card& card : state.cards()) {
    if (std::ranges::find(reservation.cards, card.uuid) == reservation.cards.end()) continue;
    answer.cards.push_back({number_of(card.number), card.uuid});
    for (const JobId id : state.active()) {
      const Job& job = *state.find(id);
      const bool on = given_on(job, card.number) != nullptr;
      const bool listed = std::ranges::find(there, number_of(id)) != there.end();
      if (on && !reservation.admits(job) && !listed) there.push_back(number_of(id));
    }
  }
  veil.hide_in(there);
  const bool own = veil.sees_user(reservation.user) || veil.sees_tenant(reservation.tenant) ||
                   veil.sees_user(reservation.by);
  // When and where is for everybody; whose is not.
  if (!own && !reservation.maintenance()) {
    for (std::string* text : {&answer.name, &answer.user, &answer.tenant}) text->clear();
  }
  if (!own) answer.by.clear();
  return answer;
}

std::string reservations_json(const StateView& state, const std::vector<Reservation>& reservations,
                              bool dry_run, const Veil& veil) {
  wire::Reservations answer{.dry_run = dry_run};
  for (const Reservation& reservation : reservations) {
    answer.reservations.push_back(answer_of(state, reservation, veil));
  }
  return wire::to_json(answer);
}

Result<ReserveAsked> parse_reserve(const std::string& body, Now now) {
  auto read = wire::read_request<wire::ReserveRequest>(body);
  if (!read) return failure(read.error());
  ReserveAsked asked;
  asked.cards = std::move(read->cards);
  asked.count = read->count;
  asked.maintenance = read->maintenance;
  Reservation& reservation = asked.reservation;
  reservation.user = std::move(read->user);
  reservation.tenant = std::move(read->tenant);
  reservation.name = std::move(read->name);
  const auto invalid = [](const char* why) { return failure(ErrorCode::kInvalid, why); };
  if (read->until.has_value() == (read->length > Seconds{0})) {
    return invalid("until or for_s must be given");
  }
  if (asked.maintenance && !reservation.maintenance()) {
    return invalid("maintenance is for no user and no tenant");
  }
  if (!asked.cards.empty() && asked.count > 0) return invalid("count and cards exclude each other");
  for (const auto& [field, text] :
       {std::pair("name", &reservation.name), std::pair("user", &reservation.user),
        std::pair("tenant", &reservation.tenant)}) {
    if (auto fault = fault_of_label(field, *text)) return failure(ErrorCode::kInvalid, *fault);
  }
  reservation.from = read->from.value_or(now.wall);
  reservation.until = read->until.value_or(reservation.from + read->length);
  return asked;
}

void answer_with_reservation(Context& context, const Call& call, const Result<Answer>& answer) {
  if (!answer) return call.responder.fail(answer.error());
  std::vector<Reservation> reservations;
  if (const auto* changed = std::get_if<ReservationChanged>(&*answer))
    reservations.push_back(changed->reservation);
  call.responder.send(json_response(
      reservations_json(context.state(), reservations, call.dry_run, Veil(context, call.actor))));
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
  call.responder.send(json_response(
      reservations_json(context.state(), reservations, false, Veil(context, call.actor))));
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
