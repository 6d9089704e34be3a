#include "cli/said_by.h"

#include <utility>

#include "client/carried_by.h"
#include "client/client.h"

namespace gpusched::cli {

Result<SaidBy> said_by(const std::vector<std::string>& command) {
  auto program = carried_by(command);
  if (!program) return failure(program.error());
  std::string said;
  auto came = Result<Carrier::Came>(Carrier::Came::kBytes);
  while (came && *came == Carrier::Came::kBytes) came = program->receive(said, Client::kPatience);
  if (!came) return failure(came.error());
  if (!said.empty() && said.back() == '\n') said.pop_back();
  return SaidBy{std::move(said), program->child().wait()};
}

}  // namespace gpusched::cli
