// The state machine: apply(state, event) changes the state and says what has to be done outside.
// docs/job-states.md is the table of transitions; each row names the function that makes it.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/decide/decide.h"
#include "core/model/event.h"
#include "core/state/state.h"

namespace gpusched {

// --- What has to be done outside, after the commit ----------------------------------------------
struct Launch {
  AttemptId attempt;
};
struct StopAttempt {
  AttemptId attempt;
  Seconds grace{0};
};
struct ChangeTime {
  AttemptId attempt;
};
struct ForgetJob {
  JobId job{};
};
// By its SaveTerms; who does not end within the grace is stopped.
struct AskToSave {
  AttemptId attempt;
};
struct MoveAside {
  AttemptId attempt;
  bool checkpoint = false;
  bool awake = false;  // Not frozen afterwards; REQUIRES: checkpoint.
};
struct BringBack {
  AttemptId attempt;
  bool checkpoint = false;
  bool awake = false;  // As it was left.
};
// Its process is no longer ours to watch over.
struct LetGo {
  AttemptId attempt;
};
using Effect = std::variant<Launch, StopAttempt, AskToSave, MoveAside, BringBack, LetGo, ChangeTime,
                            ForgetJob>;

struct Applied {
  Answer answer;
  std::vector<Effect> effects;
  // Work that was too much for one turn and goes on in the next.
  std::vector<Event> follow_up;
  // Cards to look at before the decision can be carried out (look_first.h). A look changes nothing,
  // so it need not wait for a commit.
  std::vector<CardNumber> looks = {};
};

Applied apply(State& state, const Event& event, Now now);
// Carries a decision out if it is still valid; otherwise nothing happens.
Applied accept(State& state, const Decision& decision, Now now);

// Checks a submission without accepting it; empty if it would be accepted.
std::optional<Refusal> check_submit(const State& state, const SubmitAsked& asked, Now now);
// The refusal names the one that is wrong.
std::optional<Refusal> check_leases(const State& state, const LeasesAsked& asked, Now now);

}  // namespace gpusched
