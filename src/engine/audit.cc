// The audit: who asked for a change goes into the commit that makes the change. What changes
// nothing, such as a refusal, goes along with the next commit, or with its own after a while.
#include <algorithm>
#include <iterator>
#include <utility>

#include "core/access/roles.h"
#include "core/apply/kept_change.h"
#include "core/state/state.h"
#include "engine/engine.h"

namespace gpusched {
namespace {

constexpr Microseconds kNotesWait{1'000'000};
// Kept while the store takes no commits.
constexpr std::size_t kNotesMost = 1000;

std::string counted(std::uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string summary_of(const Event& event, const Answer& answer, const char* what) {
  if (const auto* made = std::get_if<TokenMakeAsked>(&event)) {
    return "token " + made->token.id + " of " + made->token.user + ", role " +
           std::string(role_name(made->token.role));
  }
  if (const auto* submitted = std::get_if<Submitted>(&answer)) {
    const std::uint64_t first = number_of(submitted->first);
    if (submitted->count == 1) return std::string(what) + " " + std::to_string(first);
    return std::string(what) + "s " + std::to_string(first) + " to " +
           std::to_string(first + submitted->count - 1);
  }
  if (const auto* changed = std::get_if<Changed>(&answer)) {
    if (changed->jobs.empty() && changed->unchanged.empty()) return {};
    std::string text = changed->jobs.size() == 1
                           ? std::string(what) + " " + to_string(changed->jobs.front())
                           : counted(changed->jobs.size(), what);
    if (!changed->unchanged.empty()) {
      text += ", " + std::to_string(changed->unchanged.size()) + " unchanged";
    }
    return text;
  }
  if (const auto* reserved = std::get_if<ReservationChanged>(&answer)) {
    return "reservation " + std::to_string(reserved->reservation.id);
  }
  return {};
}

// Nothing has to be on disk before such an answer.
bool changed_nothing(const Answer& answer) {
  if (const auto* submitted = std::get_if<Submitted>(&answer)) return submitted->repeated;
  const auto* changed = std::get_if<Changed>(&answer);
  return changed != nullptr && changed->jobs.empty() && !changed->unchanged.empty();
}

}  // namespace

void Engine::note(AuditEntry entry) {
  if (notes_.size() >= kNotesMost) return;
  if (!entry.again) entry.sequence = next_audit_++;
  notes_.push_back(std::move(entry));
  if (wake_) wake_();
}

void Engine::record(const std::shared_ptr<Asked>& asked, const Event& event, const Answer& answer,
                    Now now) {
  if (!asked || std::holds_alternative<Refusal>(answer)) return;
  keep_change(state_, *asked, event, answer, true, now);
  flight_.recorded.push_back(asked);
  const auto* submitted = std::get_if<Submitted>(&answer);
  if (submitted != nullptr && submitted->repeated) return;
  AuditEntry entry = asked->entry;
  entry.at = now.wall;
  entry.result = "done";
  const char* what = entry.kind == AuditKind::kLease ? "lease" : "job";
  if (entry.summary.empty()) entry.summary = summary_of(event, answer, what);
  if (changed_nothing(answer)) return note(std::move(entry));
  entry.sequence = next_audit_++;
  flight_.audit.push_back(std::move(entry));
}

std::optional<Answer> Engine::told_before(const std::shared_ptr<Asked>& asked, const Event& event,
                                          Now now) {
  if (!asked) return std::nullopt;
  std::optional<Answer> before = answer_before(state_, *asked, event, now);
  if (before && !std::holds_alternative<Refusal>(*before)) {
    asked->repeated = true;
    flight_.recorded.push_back(asked);
  }
  return before;
}

// Its slices are on disk one by one: so is who asked for them, from the first one on.
void Engine::record_begun(Bulk& bulk, Now now) {
  if (!bulk.asked || bulk.entry) return;
  AuditEntry entry = bulk.asked->entry;
  entry.sequence = next_audit_++;
  entry.at = now.wall;
  entry.result = "begun";
  entry.summary = counted(bulk.waiting.size() + bulk.active.size(), "job");
  flight_.audit.push_back(entry);
  Changed some;
  some.jobs.resize(bulk.waiting.size() + bulk.active.size());
  keep_change(state_, *bulk.asked, bulk.whole, some, false, now);
  bulk.entry = std::move(entry);
  bulk.entry->again = true;
}

void Engine::record_end(Bulk& bulk, const Answer& answer, Now now) {
  if (!bulk.entry) return record(bulk.asked, bulk.whole, answer, now);
  AuditEntry entry = std::move(*bulk.entry);
  const bool refused = std::holds_alternative<Refusal>(answer);
  entry.result = refused ? "failed" : "done";
  keep_change(state_, *bulk.asked, bulk.whole, answer, true, now);
  if (!refused) entry.summary = summary_of(bulk.whole, answer, "job");
  flight_.audit.push_back(std::move(entry));
  flight_.recorded.push_back(bulk.asked);
}

void Engine::record_failed(Bulk& bulk) {
  if (!bulk.entry) return;
  bulk.entry->result = "failed";
  note(std::move(*bulk.entry));
}

bool Engine::notes_due(Now now) const {
  return !notes_.empty() && notes_until_ && now.boot >= *notes_until_;
}

void Engine::await_notes(Now now) {
  if (!notes_.empty() && !notes_until_) notes_until_ = now.boot + kNotesWait;
}

void Engine::write_audit(Commit& commit, Now now) {
  notes_until_.reset();
  flight_.notes = std::exchange(notes_, {});
  commit.audit = flight_.audit;
  commit.audit.insert(commit.audit.end(), flight_.notes.begin(), flight_.notes.end());
  const Rules& rules = state_.rules();
  commit.audit_bounds = {clock_watch_.trusted(now) - rules.audit_keep, rules.audit_most};
}

// Of a commit that failed.
void Engine::keep_notes(std::vector<AuditEntry> notes) {
  const std::size_t room = kNotesMost - std::min(kNotesMost, notes.size());
  const auto end = notes_.begin() + static_cast<std::ptrdiff_t>(std::min(room, notes_.size()));
  notes.insert(notes.end(), std::make_move_iterator(notes_.begin()), std::make_move_iterator(end));
  notes_ = std::move(notes);
}

}  // namespace gpusched
