#include "cli/views/lease_view.h"

#include "cli/views/view_reader.h"

namespace gpusched::cli {

Result<LeaseView> parse_lease_view(const std::string& body) {
  auto answer = parse_message<wire::OneLease>(body);
  if (!answer) return failure(answer.error());
  return std::move(answer->lease).value_or(LeaseView{});
}

Result<std::vector<LeaseView>> parse_lease_views(const std::string& body) {
  auto answer = parse_message<wire::Leases>(body);
  if (!answer) return failure(answer.error());
  return std::move(answer->leases);
}

}  // namespace gpusched::cli
