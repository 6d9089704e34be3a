// The state machine: apply(state, event) changes the state and says what has to be done outside.
// docs/job-states.md is the table of transitions; each row names the function that makes it.
#pragma once

#include <optional>
#include <string>

#include "core/apply/applied.h"
#include "core/decide/decide.h"
#include "core/model/event.h"

namespace gpusched {

class State;
class StateView;

Applied apply(State& state, const Event& event, Now now);
// Carries a decision out if it is still valid; otherwise nothing happens.
Applied accept(State& state, const Decision& decision, Now now);

// Which group a user means: of two with one name, the user's own.
std::string group_for(const StateView& state, const std::string& user, const std::string& name);

// Checks a submission without accepting it; empty if it would be accepted.
std::optional<Refusal> check_submit(const StateView& state, const SubmitAsked& asked, Now now);
// The refusal names the one that is wrong.
std::optional<Refusal> check_leases(const StateView& state, const LeasesAsked& asked, Now now);

}  // namespace gpusched
