// What a replay found, for people, for programs, and as a page with plots.
#pragma once

#include <string>

#include "replay/simulate.h"

namespace gpusched::replay {

// {"schema":1,"policy":…,"as_it_was":{…},"simulated":{…}}
std::string compared_json(const SimulateAsked& asked, const Measures& was, const Measures& would);
std::string as_json(const SimulateAsked& asked, const SimulateResult& result);
std::string as_text(const SimulateAsked& asked, const SimulateResult& result);
// One row per job: line,tenant,gpus,submit_s,wait_s,jct_s,preemptions.
std::string as_csv(const Simulated& result);
// One self-contained page: style, figures and plots (SVG) inside, nothing loaded from elsewhere.
std::string as_html(const SimulateAsked& asked, const std::string& name, const Simulated& result);

}  // namespace gpusched::replay
