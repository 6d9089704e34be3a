// Tells the service manager that the daemon answers now (sd_notify's protocol).
#pragma once

#include <string>

namespace gpusched {

// No effect if nobody asked to be told.
void notify_service_manager(const std::string& message);

}  // namespace gpusched
