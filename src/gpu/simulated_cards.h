// Cards that exist only in a description: `--sim 2x24G`, `--sim 2x24G,1x80G:H100`. Enough to place
// jobs; their UUIDs are stable, so that a restart finds the same cards.
#pragma once

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

// COUNTxSIZE[:MODEL], separated by commas; at most 64 cards.
Result<std::vector<Card>> parse_simulated_cards(std::string_view text);

Result<std::unique_ptr<GpuBackend>> make_simulated_cards(boost::asio::io_context& loop,
                                                         const std::string& text);

}  // namespace gpusched
