#include "cli/simulate/own_past.h"

#include "core/explain/excerpt.h"
#include "wire/snapshot.h"

namespace gpusched::cli {

Result<void> take_machine(const Client& client, replay::SimulateAsked& asked) {
  const auto answer = client.call({.target = "/v1/debug/snapshot"});
  if (!answer) return failure(answer.error());
  const auto snapshot = snapshot_from_json(*answer);
  if (!snapshot) return failure(snapshot.error());
  asked.machine = {.nodes = 1, .cards_per_node = 0, .cards = snapshot->machine.cards(), .host = {}};
  for (Card& card : asked.machine.cards) {
    card.usable = card.managed;
    card.drained = false;
  }
  asked.machine.host = snapshot->machine.host();
  asked.machine.cards_per_node = asked.machine.total();
  asked.rules = snapshot->machine.rules();
  return {};
}

Result<replay::Past> fetch_past(const Client& client, const replay::Machine& machine, Wall since) {
  const auto jobs = client.call({.target = "/v1/jobs?state=ended"});
  if (!jobs) return failure(jobs.error());
  return replay::read_past(*jobs, machine, since);
}

}  // namespace gpusched::cli
