// Cards that exist only in a description (engine/card_description.h). Enough to place jobs.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "engine/gpu_backend.h"

namespace boost::asio {
class io_context;
}

namespace gpusched {

Result<std::unique_ptr<GpuBackend>> make_simulated_cards(boost::asio::io_context& loop,
                                                         const std::string& text);

}  // namespace gpusched
