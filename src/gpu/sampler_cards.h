// The machine's cards, as gpusched-sampler sees them. Driver libraries can hang or crash, so the
// daemon never loads one: it reads what that program prints, and gives up after a deadline.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/gpu_backend.h"

namespace boost::asio {
class io_context;
}

namespace gpusched {

// The cards in what `gpusched-sampler --once` says (docs/sampler-protocol.md). Lines that are not
// of that form are left out.
std::vector<Card> parse_sampler_output(std::string_view output);

// The program beside the daemon's own, or where it was installed; ten seconds.
Result<std::unique_ptr<GpuBackend>> make_sampler_cards(boost::asio::io_context& loop);
Result<std::unique_ptr<GpuBackend>> make_sampler_cards(boost::asio::io_context& loop,
                                                       std::string program,
                                                       std::chrono::milliseconds deadline);

}  // namespace gpusched
