// What several routes do alike: which jobs a call means, and the answers of changes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/context.h"
#include "api/selector.h"
#include "core/model/event.h"

namespace gpusched {

// The jobs of the path's selector, narrowed by the query's filters.
Result<std::vector<JobId>> selected_jobs(const Context& context, const Call& call);
// The one job of the path.
Result<const Job*> selected_job(const Context& context, const Call& call);

// The same, with the role of the token that was shown, if that is why it is forbidden: its owner
// may be allowed more.
Error of_token(const Principal& actor, Error error);

// Posts the event, or asks what it would do if this is a dry run; `answer` gets the outcome, in
// which a refusal has become an error.
void ask_engine(Context& context, const Call& call, Event event, AnswerFn answer);

// What somebody has to see to.
// What the settings show of others' jobs.
ShownOfOthers shown_of_others(const Context& context);

std::vector<std::string> problems_of(const Context& context);

// {"schema":1,"changed":[…],"unchanged":[{"id","why"}…]}
std::string changed_json(const Changed& changed, bool dry_run);

// Goes on with the name of the user's account, perhaps later; a dry run goes on when no commit is
// under way. Whoever has none is refused: numbers alone (a user may have thousands of them for
// containers) would each be a tenant of their own. A daemon's own user may be without one.
void with_account(Context& context, const Call& call, std::uint32_t uid,
                  std::function<void(const std::string& user)> then);
// The same for the one who asks: goes on with a call whose actor has a name and a tenant.
// The tenant for which this user's jobs count. Unix groups are looked up; that may take a while.
void with_tenant(Context& context, const Call& call, const Identity& owner,
                 std::function<void(const std::string& tenant)> then);
void with_named_actor(Context& context, const Call& call, std::function<void(const Call&)> then);

}  // namespace gpusched
