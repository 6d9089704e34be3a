// A daemon of another machine: what a job inherits there, and verbs that belong to that machine
// as a whole.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "cli/submit/submission.h"
#include "client/server.h"

namespace gpusched::cli {

// As an ssh to that machine finds them. Resource limits stay those of the daemon there. Over the
// network nobody says them: the directory is empty then.
Result<Surroundings> surroundings_of(const Server& server);
Result<Surroundings> parse_greeting(const std::string& greeting);

// `gpusched VERB WORDS…` on that machine, without --server, with this terminal: its exit code. The
// last `own` words are the user's command, and stay as they are. An error: it was not reached.
Result<int> run_there(const Server& server, std::string_view verb,
                      std::span<const std::string> words, std::size_t own);

// Why a verb that belongs to that machine as a whole cannot be had over the network.
Error not_over_the_network(const Server& server, std::string_view verb);

}  // namespace gpusched::cli
