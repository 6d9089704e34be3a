// Whatever happens, a turn whose commit fails leaves nothing behind, and the books are what the
// rows say, however they came to be.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "core/explain/excerpt.h"
#include "core/notify/job_notices.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {
namespace {

const Principal kAnybody{.uid = 0, .user = "user1", .role = Role::kAdministrator};

template <class T>
T any_below(T end) {
  return *rc::gen::inRange<T>(0, end);
}
bool one_in(int many) { return any_below(many) == 0; }

JobId any_job_id(const State& state) {
  if (state.jobs().empty() || one_in(20)) return JobId{99};
  const auto steps = static_cast<std::ptrdiff_t>(any_below(state.jobs().size()));
  return std::next(state.jobs().begin(), steps)->first;
}
AttemptId any_attempt(const State& state) {
  // Mostly of something that is alive: there the interesting things happen.
  if (!state.active().empty() && !one_in(5)) {
    const auto steps = static_cast<std::ptrdiff_t>(any_below(state.active().size()));
    return state.find(*std::next(state.active().begin(), steps))->current_attempt();
  }
  return {any_job_id(state), any_below(3)};
}
CardNumber any_card() { return CardNumber{static_cast<std::uint16_t>(any_below(4))}; }

SubmitAsked any_submission(const State& state, Now now) {
  Ask job = ask();
  if (one_in(4)) {
    job.gpus(0).cpus(1 + any_below(3));
  } else {
    job.gpus(1 + any_below(2));
    if (!one_in(3)) job.vram(1 + any_below<std::uint64_t>(20));
  }
  job.priority(any_below(101)).uid(1 + any_below<std::uint32_t>(3));
  if (one_in(3)) job.time(1 + any_below(500));
  if (one_in(5)) job.array(1 + any_below(4), any_below(3));
  if (one_in(5)) job.group("g");
  if (one_in(4)) job.retries(1 + any_below(2));
  if (one_in(5)) job.after(number_of(any_job_id(state)));
  if (one_in(6)) job.begin(now.wall + Seconds{any_below(100)});
  if (one_in(6)) job.expire(now.wall + Seconds{any_below(100)});
  if (one_in(6)) job.key("key" + std::to_string(any_below(3)));
  if (one_in(6)) job.hold();
  if (one_in(4)) job.spec().restartable = true;
  if (one_in(3)) job.spec().extras.edit().notify = {"done,fail,start,moved,late:ops"};
  if (one_in(5)) {
    job.spec().lease = std::make_shared<LeaseTerms>();
    job.spec().argv.clear();
  }
  return job.event();
}

SubmitAsked any_lease(const State& state, Now now) {
  SubmitAsked asked = any_submission(state, now);
  auto spec = std::make_shared<JobSpec>(*asked.spec);
  spec->lease = std::make_shared<LeaseTerms>();
  spec->argv.clear();
  asked.spec = std::move(spec);
  asked.array = false;
  asked.tasks.resize(1);
  asked.total = 1;
  return asked;
}

AttemptFinished any_end(const State& state, Now now) {
  AttemptFinished end{.attempt = any_attempt(state)};
  end.cause = one_in(4) ? Cause::kCudaOom : Cause::kExit;
  end.exit_code = any_below(2);
  end.started_at = now.wall - Seconds{any_below(5)};
  end.ended_at = now.wall;
  return end;
}

CardView any_view(const State& state, Now now) {
  CardView view{.condition = CardCondition::kOk, .at = now};
  view.used_bytes = any_below<std::uint64_t>(24) * kGiB;
  for (const JobId id : state.active()) {
    if (one_in(2)) continue;
    SeenProcess process;
    process.pid = static_cast<int>(number_of(id));
    process.attempt = state.find(id)->current_attempt();
    process.vram_bytes = any_below<std::uint64_t>(12) * kGiB;
    view.processes.push_back(process);
  }
  return view;
}

AdoptAsked any_adoption() {
  Ask job = ask().vram(2);
  job.spec().adopted = std::make_shared<AdoptedProcess>(AdoptedProcess{4000 + any_below(3), {}});
  AdoptAsked asked;
  asked.owner.uid = 1;
  asked.owner.user = asked.tenant = "user1";
  asked.spec = std::make_shared<JobSpec>(job.spec());
  asked.tree = {job.spec().adopted->pid};
  return asked;
}

// Places in the queue depend on these.
Rules any_rules(const State& state) {
  Rules rules = state.rules();
  rules.overdue_after = Seconds{10 + any_below(100)};
  rules.deadline_slack = Seconds{any_below(600)};
  return rules;
}

MessagesSettled any_settlement(const State& state) {
  MessagesSettled settled{.delivered = {any_below<std::uint64_t>(50)}};
  for (const auto& [id, message] : state.messages()) {
    if (one_in(3)) continue;
    if (one_in(2)) {
      settled.delivered.push_back(id);
    } else {
      settled.failed.push_back({.id = id, .error = "no answer", .refused = one_in(4)});
    }
  }
  return settled;
}

AlarmsSeen any_alarms(Now now) {
  AlarmsSeen seen;
  const std::string subject = "card " + std::to_string(any_below(3));
  if (one_in(2)) {
    seen.changes.put.push_back({.key = {"temperature", subject}, .since = now.wall});
  } else {
    seen.changes.removed.push_back({"temperature", subject});
  }
  if (one_in(3)) seen.changes.silences_over = {1 + any_below<std::uint64_t>(3)};
  return seen;
}

// A kind that is added must be added here.
Event any_event(const State& state, Now now) {
  static_assert(std::variant_size_v<Event> == 52, "make one of the new kind below");
  const std::vector<JobId> jobs{any_job_id(state)};
  TenantRule rule;
  rule.running = 1 + any_below<std::uint64_t>(3);
  Reservation reservation{.from = now.wall + Seconds{50}, .until = now.wall + Seconds{90}};
  // Of each kind one, in the order of Event.
  const std::vector<Event> kinds = {
      any_submission(state, now),
      CancelAsked{kAnybody, jobs, {}},
      HoldAsked{kAnybody, jobs},
      ReleaseAsked{kAnybody, jobs},
      PauseAsked{kAnybody, jobs},
      ResumeAsked{kAnybody, jobs},
      RequeueAsked{kAnybody, jobs},
      SetAsked{kAnybody, jobs, priority_patch(any_below(101))},
      any_adoption(),
      LetGoAsked{kAnybody, jobs},
      GroupSetAsked{kAnybody, "g", any_below(3)},
      GroupRemoveAsked{kAnybody, "g"},
      TenantSetAsked{kAnybody, "user1", rule},
      TenantUnsetAsked{kAnybody, "user1"},
      DrainAsked{kAnybody, {any_card()}, "dust"},
      UndrainAsked{kAnybody, {any_card()}},
      ReserveAsked{kAnybody, reservation, false, {}, 1},
      UnreserveAsked{kAnybody, 1 + any_below<std::uint64_t>(3)},
      TokenMakeAsked{kAnybody, {.id = std::to_string(any_below(3)), .hash = "h"}},
      TokenRevokeAsked{kAnybody, std::to_string(any_below(3))},
      LeasesAsked{{any_lease(state, now)}},
      LeaseReleaseAsked{kAnybody, jobs},
      LeaseRenewAsked{kAnybody, jobs.front(), Seconds{any_below(100)}},
      LeaseResetAsked{kAnybody, ""},
      CardsReported{state.cards()},
      CalendarRead{},
      SettingsRead{state.rules(), state.tenants().configured()},  // Others are not undone.
      CardSeen{any_card(), any_view(state, now)},
      CardTroubleSeen{any_card(), TroubleKind::kXid, 79},
      ProcessAccounted{any_attempt(state), kGiB},
      ProgressSeen{any_attempt(state), 3, 10, now.wall},
      AttemptRunning{any_attempt(state), now.wall},
      any_end(state, now),
      AttemptNeverRan{any_attempt(state), one_in(2) ? "no fork" : ""},
      MovedAside{any_attempt(state), {}, kGiB},
      BroughtBack{any_attempt(state)},
      MoveFailed{any_attempt(state), MoveLeft::kRunning, one_in(2), "no"},
      LeaseHolderGone{jobs.front(), "it ended"},
      HolderActive{any_attempt(state)},
      TimePassed{},
      RetentionDue{1},
      HoldSweep{jobs.front(), jobs.front()},
      SubmissionAbandoned{1 + any_below<std::uint64_t>(5)},
      DiskSeen{one_in(3)},
      DiskUseSeen{},
      TokenUsed{std::to_string(any_below(3)), now.wall},
      any_settlement(state),
      Reconsider{},
      any_alarms(now),
      SilenceAsked{kAnybody,
                   {.rule = "temperature", .from = now.wall, .until = now.wall + Seconds{60}}},
      SilenceEndAsked{kAnybody, 1 + any_below<std::uint64_t>(3)},
      AlarmTestAsked{kAnybody, {"ops"}},
  };
  RC_ASSERT(kinds.size() == std::variant_size_v<Event>);
  // Submissions and ends twice as often: without them nothing goes on.
  const std::size_t which = any_below(kinds.size() + 20);
  const std::size_t index = which < kinds.size() ? which : (which % 3 == 0 ? 32 : 0);
  Event event = kinds[index];
  RC_ASSERT(event.index() == index);
  return event;
}

State small_machine(std::size_t keep_ended = 5) {
  Rules rules;
  rules.outbox_most = 3;
  rules.receivers = std::make_shared<const Receivers>(
      Receivers{{"ops", Receiver{.name = "ops", .for_users = true}}});
  rules.keep_ended_most = keep_ended;
  State state = machine(3, 24, 6, rules);
  std::vector<Card> cards = state.cards();
  for (Card& card : cards) card.moves = true;
  state.set_cards(std::move(cards));
  return state;
}

// The same rows, put into an empty machine.
State built_anew(const State& state, Now now) {
  State anew = machine_of(state);
  for (const auto& [id, submission] : state.submissions()) anew.put(submission);
  for (const auto& [id, message] : state.messages()) anew.put(message);
  for (const auto& [id, job] : state.jobs()) {
    anew.put(job, now);
  }
  for (const auto& [id, job] : state.jobs()) {
    for (const JobId dependent : anew.dependents_of(id)) anew.wake(dependent, now);
  }
  return anew;
}

void one_turn(State& state, Now now) {
  apply(state, TimePassed{}, now);
  const int events = 1 + any_below(3);
  for (int i = 0; i < events; ++i) apply(state, any_event(state, now), now);
  start_what_fits(state, now);
  tell_of_jobs(state, now);
}

using Names = std::vector<std::string>;

RC_GTEST_PROP(Undo, ATurnWhoseCommitFailsLeavesNothingBehind, ()) {
  State state = small_machine();
  const int turns = 1 + any_below(40);
  for (int i = 0; i < turns; ++i) {
    const Now now = at_second(i * 7);
    // What time alone changes is not a turn's doing.
    apply(state, TimePassed{}, now);
    state.keep_changes();
    const State before = state;
    one_turn(state, now);
    state.check_invariants();
    if (one_in(2)) {
      state.keep_changes();
      continue;
    }
    state.roll_back(now);
    state.check_invariants();
    RC_ASSERT(state.jobs() == before.jobs());
    RC_ASSERT(state.groups() == before.groups());
    RC_ASSERT(state.drains() == before.drains());
    RC_ASSERT(state.reservations() == before.reservations());
    RC_ASSERT(state.submissions() == before.submissions());
    RC_ASSERT(state.messages() == before.messages());
    RC_ASSERT(state.sending("ops") == before.sending("ops"));
    RC_ASSERT(state.work() == before.work());
    RC_ASSERT(state.differing_books(before) == Names{});
    RC_ASSERT(!state.has_changes());
  }
}

// Nothing counts twice and nothing is left out, also where turns are undone.
RC_GTEST_PROP(Work, SumsAreWhatTheJobsSay, ()) {
  State state = small_machine(1000);
  const int turns = 1 + any_below(40);
  for (int i = 0; i < turns; ++i) {
    const Now now = at_second(i * 7);
    one_turn(state, now);
    if (one_in(4)) {
      state.roll_back(now);
    } else {
      state.keep_changes();
    }
    double attempts = 0;
    double jobs = 0;
    for (const auto& [id, job] : state.jobs()) {
      const int over = job.attempt - (job.active() ? 1 : 0);
      attempts += over;
      jobs += over > 0 ? 1 : 0;
    }
    WorkSums all;
    for (const auto& [key, row] : state.work()) all.add(row.sums);
    RC_ASSERT(std::abs(all.attempts - attempts) < 1e-6);
    RC_ASSERT(std::abs(all.jobs - jobs) < 1e-6);
    RC_ASSERT(all.gpu_seconds >= 0);
  }
}

RC_GTEST_PROP(Books, AreWhatTheRowsSay, ()) {
  State state = small_machine();
  const int turns = 1 + any_below(40);
  for (int i = 0; i < turns; ++i) {
    const Now now = at_second(i * 7);
    one_turn(state, now);
    if (one_in(4)) {
      apply(state, SettingsRead{any_rules(state), state.tenants().configured()}, now);
    }
    state.keep_changes();
    Names differing = state.differing_books(built_anew(state, now));
    // How its first jobs fared is counted from new when a person has released a sweep.
    std::erase(differing, "sweeps");
    RC_ASSERT(differing == Names{});
  }
}

}  // namespace
}  // namespace gpusched::testing
