#include "api/event_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "api/alarms_answer.h"
#include "api/answers.h"
#include "api/cards_answer.h"
#include "api/context.h"
#include "api/job_rows.h"
#include "api/veil.h"
#include "core/access/rights.h"
#include "wire/message_json.h"
#include "wire/messages/machine.h"

namespace gpusched {
namespace {

// Changes or jobs looked at in one go when few of them concern the client.
constexpr std::size_t kLooksPerPiece = 5000;

// Without an id where it is empty.
void append_event(std::string& out, std::string_view kind, std::string_view id,
                  std::string_view json) {
  out += "event: ";
  out += kind;
  if (!id.empty()) out += fmt::format("\nid: {}", id);
  out += "\ndata: ";
  out += json;
  out += "\n\n";
}

}  // namespace

struct EventStreams::Client {
  Responder responder;
  EventsAsked asked;
  std::uint64_t cursor = 0;
  std::optional<JobId> snapshot;      // Set while all jobs are being sent: the last one that was.
  std::optional<JobId> range;         // The same for the jobs of a large submission.
  std::string groups;                 // Group events not sent yet.
  bool beat = true;                   // The first comes at once: the client knows that it is heard.
  bool look = true;                   // It is time to look at cards and alarms.
  std::size_t cards = 0, alarms = 0;  // Hashes of what was told last.
  std::vector<std::shared_ptr<FollowedLog>> logs;

  bool has_log() const {
    return std::ranges::any_of(logs, [](const auto& log) { return log->has_piece(); });
  }
  // Of an event up to which the client has been told everything.
  std::string id_at(std::uint64_t sequence) const {
    std::string id = std::to_string(sequence);
    for (const auto& log : logs) id += "," + text_of(log->place());
    return id;
  }
  bool concerns(const Job& job, const Veil& veil) const {
    if (!veil.sees(job)) return false;
    if (asked.own && !may(asked.actor, Action::kChangeJob, owned_by(job.owner))) return false;
    return !asked.jobs || asked.jobs->contains(job.id);
  }
};

struct EventStreams::Timer {
  explicit Timer(boost::asio::io_context& loop) : timer(loop) {}
  boost::asio::steady_timer timer;
  bool set = false;
};

EventStreams::EventStreams(boost::asio::io_context& loop, std::size_t remembered,
                           std::chrono::milliseconds heartbeat,
                           std::chrono::milliseconds look_every)
    : remembered_(remembered),
      heartbeat_(heartbeat),
      look_every_(look_every),
      timer_(std::make_shared<Timer>(loop)),
      looks_(std::make_shared<Timer>(loop)) {}
EventStreams::~EventStreams() { stop(); }

void EventStreams::stop() {
  timer_->timer.cancel();
  looks_->timer.cancel();
  clients_.clear();
}

std::size_t EventStreams::open_streams() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(clients_, [](const auto& client) { return !client.expired(); }));
}

void EventStreams::open(Context& context, EventsAsked asked, const Responder& responder) {
  auto client = std::make_shared<Client>();
  client->responder = responder;
  client->cursor = last_;
  if (asked.after) {
    const bool remembered = forgotten_ && *asked.after >= *forgotten_ && *asked.after <= last_;
    if (remembered) {
      client->cursor = *asked.after;
    } else {
      client->snapshot = JobId{};
    }
  }
  client->asked = std::move(asked);
  for (const LogPlace& place : client->asked.logs) {
    client->logs.push_back(
        std::make_shared<FollowedLog>(context, place, [responder] { responder.wake(); }));
    client->logs.back()->start();
  }
  context.lasting.add(client->asked.actor, responder);
  forget_gone();
  clients_.push_back(client);
  beat();
  look_again();
  HttpResponse response;
  response.content_type = "text/event-stream";
  response.headers = {{"Cache-Control", "no-store"}};
  response.stream = [this, &context, client](std::string& out) {
    return pull(context, *client, out);
  };
  responder.send(std::move(response));
}

// One timer for all; it rests while nobody listens.
void EventStreams::beat() {
  if (timer_->set) return;
  timer_->set = true;
  timer_->timer.expires_after(heartbeat_);
  timer_->timer.async_wait([this, alive = std::weak_ptr(timer_)](boost::system::error_code error) {
    if (error || alive.expired()) return;
    timer_->set = false;
    forget_gone();
    if (clients_.empty()) return;
    for (const auto& weak : clients_) {
      if (const auto client = weak.lock()) client->beat = true;
    }
    beat();
    wake_all();
  });
}

// The same for those who want to hear of cards or alarms.
void EventStreams::look_again() {
  const auto wants = [](const auto& weak) {
    const auto client = weak.lock();
    return client && (client->asked.cards || client->asked.alarms);
  };
  if (looks_->set || std::ranges::none_of(clients_, wants)) return;
  looks_->set = true;
  looks_->timer.expires_after(look_every_);
  looks_->timer.async_wait(
      [this, wants, alive = std::weak_ptr(looks_)](boost::system::error_code error) {
        if (error || alive.expired()) return;
        looks_->set = false;
        forget_gone();
        look_again();
        // Waking one may end it.
        const std::vector<std::weak_ptr<Client>> clients = clients_;
        for (const auto& weak : clients) {
          if (!wants(weak)) continue;
          const auto client = weak.lock();
          client->look = true;
          client->responder.wake();
        }
      });
}

void EventStreams::wake_all() {
  to_wake_ = clients_.size();
  if (!waking_) wake_some();
}

// A few at a time, each in its turn: whoever waits for an answer gets it in between.
void EventStreams::wake_some() {
  constexpr std::size_t kAtOnce = 16;
  for (std::size_t i = 0; i < kAtOnce && to_wake_ > 0 && !clients_.empty(); ++i, --to_wake_) {
    next_to_wake_ = (next_to_wake_ + 1) % clients_.size();
    if (const auto client = clients_[next_to_wake_].lock()) client->responder.wake();
  }
  waking_ = to_wake_ > 0 && !clients_.empty();
  if (!waking_) return;
  boost::asio::post(timer_->timer.get_executor(), [this, alive = std::weak_ptr(timer_)] {
    if (!alive.expired()) wake_some();
  });
}

void EventStreams::forget_gone() {
  std::erase_if(clients_, [](const auto& weak) { return weak.expired(); });
  if (to_wake_ > 0) to_wake_ = clients_.size();  // They have other places now.
}

void EventStreams::publish(const std::vector<JobChange>& changes) {
  if (changes.empty()) return;
  said_.clear();
  if (!forgotten_) {
    forgotten_ = changes.front().sequence - 1;
    // Those who came before anything had happened have missed nothing.
    for (const auto& weak : clients_) {
      if (const auto client = weak.lock()) client->cursor = *forgotten_;
    }
  }
  for (const JobChange& change : changes) {
    recent_.push_back(change);
    latest_[change.job] = change.sequence;
    last_ = std::max(last_, change.sequence);
  }
  while (recent_.size() > remembered_) {
    const JobChange& oldest = recent_.front();
    forgotten_ = oldest.sequence;
    const auto latest = latest_.find(oldest.job);
    if (latest != latest_.end() && latest->second == oldest.sequence) latest_.erase(latest);
    recent_.pop_front();
  }
  wake_all();
}

void EventStreams::publish_group(const Context& context, const std::string& group,
                                 const std::string& json) {
  for (const auto& weak : clients_) {
    const auto client = weak.lock();
    if (!client || !shows_group(Veil(context, client->asked.actor), group)) continue;
    // Beyond that it is dropped when it reads again (pull()), and nothing more is kept for it.
    if (client->groups.size() > context.limits.stream_bytes) continue;
    if (client->asked.rows) append_event(client->groups, "group", "", json);
  }
  wake_all();
}

Pull EventStreams::pull(Context& context, Client& client, std::string& out) {
  if (context.after_commit.must_wait()) {
    if (!std::exchange(wake_later_, true)) {
      context.after_commit.run_later(kNobody, [this] {
        wake_later_ = false;
        wake_all();
      });
    }
    return Pull::kWait;
  }
  if (!client.asked.rows) {
    client.cursor = last_;
    client.snapshot.reset();
  }
  const bool behind = !client.snapshot && forgotten_ && client.cursor < *forgotten_;
  if (behind || client.groups.size() > context.limits.stream_bytes) return Pull::kAbort;
  out += std::exchange(client.groups, {});
  if (std::exchange(client.look, false)) write_topics(context, client, out);
  if (client.snapshot) {
    write_snapshot(context, client, out);
  } else {
    write_changes(context, client, out);
  }
  // Last, and a piece of each: a log that grows fast keeps nothing else from being told.
  if (!client.snapshot) write_logs(context, client, out);
  const bool more = client.snapshot.has_value() || client.cursor < last_ || client.has_log();
  if (client.beat && !more && out.empty()) out += ": alive\n\n";
  client.beat = client.beat && more;
  return more ? Pull::kMore : Pull::kWait;
}

// Each whole, at once and whenever it differs from what was told last. They have no ids: who comes
// back is told them anyhow.
void EventStreams::write_topics(const Context& context, Client& client, std::string& out) {
  const auto tell = [&out](std::string_view kind, const std::string& json, std::size_t& told) {
    const std::size_t hash = std::hash<std::string>{}(json);
    if (std::exchange(told, hash) != hash) append_event(out, kind, "", json);
  };
  if (client.asked.cards) tell("cards", gpus_json(context, client.asked.actor), client.cards);
  if (client.asked.alarms) {
    const wire::Alarms alarms{.problems = problems_for(context, client.asked.actor),
                              .alarms = alarms_for(context, Veil(context, client.asked.actor))};
    tell("alarms", wire::to_json(alarms), client.alarms);
  }
}

void EventStreams::write_logs(const Context& context, Client& client, std::string& out) {
  for (const auto& log : client.logs) {
    if (!log->has_piece() || out.size() >= 2 * context.limits.stream_bytes) continue;
    const std::string piece = log->take_piece();
    append_event(out, "log", client.id_at(client.cursor), piece);
  }
}

// What one client was told of a change is told to the next in the same words: to work out why a job
// waits costs as much as a decision.
const std::string& EventStreams::row_of(const Job& job, RowWriter& writer, bool veiled) {
  constexpr std::size_t kSaidMost = 1000;
  if (said_.size() > kSaidMost) said_.clear();
  std::string& row = said_[{job.id, writer.shows_arguments(job), veiled}];
  if (!row.empty()) return row;
  JsonWriter json(row);
  writer.row(json, job);
  return row;
}

void EventStreams::write_changes(Context& context, Client& client, std::string& out) {
  RowWriter writer(context, client.asked.actor);
  const Veil veil(context, client.asked.actor);
  std::size_t looks = kLooksPerPiece;
  const auto from = std::ranges::upper_bound(recent_, client.cursor, {}, &JobChange::sequence);
  for (auto it = from; it != recent_.end(); ++it) {
    if (out.size() >= context.limits.stream_bytes || looks-- == 0) return;
    if (it->since && !write_range(context, client, *it, out)) return;
    client.cursor = it->sequence;
    if (latest_[it->job] != it->sequence) continue;  // A later change will say it.
    const Job* job = context.state().find(it->job);
    if (job == nullptr) {
      if (client.asked.jobs && !client.asked.jobs->contains(it->job)) continue;
      // Whose it was is not known any more.
      if (veil.covers() && !client.asked.jobs) continue;
      append_event(out, "gone", client.id_at(it->sequence),
                   fmt::format(R"({{"id":{}}})", number_of(it->job)));
    } else if (client.concerns(*job, veil)) {
      append_event(out, "job", client.id_at(it->sequence), row_of(*job, writer, veil.covers()));
    }
  }
  client.cursor = last_;
}

// False: not all of them yet.
bool EventStreams::write_range(Context& context, Client& client, const JobChange& change,
                               std::string& out) {
  RowWriter writer(context, client.asked.actor);
  const Veil veil(context, client.asked.actor);
  const auto& jobs = context.state().jobs();
  std::string row;
  auto it = client.range ? jobs.upper_bound(*client.range) : jobs.lower_bound(*change.since);
  for (std::size_t looks = kLooksPerPiece; it != jobs.end() && it->first < change.job; ++it) {
    if (out.size() >= context.limits.stream_bytes || looks-- == 0) return false;
    client.range = it->first;
    if (!client.concerns(it->second, veil)) continue;
    row.clear();
    JsonWriter json(row);
    writer.row(json, it->second);
    append_event(out, "job", "", row);
  }
  client.range.reset();
  return true;
}

void EventStreams::write_snapshot(Context& context, Client& client, std::string& out) {
  RowWriter writer(context, client.asked.actor);
  const Veil veil(context, client.asked.actor);
  std::size_t looks = kLooksPerPiece;
  const auto& jobs = context.state().jobs();
  std::string row;
  for (auto it = jobs.upper_bound(*client.snapshot); it != jobs.end(); ++it) {
    if (out.size() >= context.limits.stream_bytes || looks-- == 0) return;
    client.snapshot = it->first;
    if (!client.concerns(it->second, veil) || context.state().in_open_submission(it->first))
      continue;
    row.clear();
    JsonWriter json(row);
    writer.row(json, it->second);
    append_event(out, "job", "", row);
  }
  // Only now does the client have all; were it dropped before, it would ask for all again.
  client.snapshot.reset();
  if (last_ > 0) out += fmt::format("id: {}\n\n", client.id_at(client.cursor));
}

}  // namespace gpusched
