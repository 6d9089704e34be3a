// MPS servers among the processes of a card. The driver may count what clients do as done by their
// server; a job's load is its own, so it is given back to them. A server is nobody's job and no
// stranger either: its memory counts, nothing else of it does.
#pragma once

#include <vector>

#include "watch/report.h"

namespace gpusched {

bool is_mps_server(const watch::WatchedProcess& process);
// Clients are matched by user: a server serves one.
void give_load_to_mps_clients(std::vector<watch::WatchedProcess>& processes);

}  // namespace gpusched
