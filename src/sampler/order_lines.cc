#include "sampler/order_lines.h"

#include "wire/sampler_lines.h"

namespace gpusched {

std::vector<Result<watch::Order>> OrderLines::add(std::string_view bytes) {
  std::vector<Result<watch::Order>> orders;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    rest_.append(bytes.substr(0, end));
    if (rest_.size() > kSamplerLineMost) {
      too_long_ = true;
      rest_.clear();
    }
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
    if (too_long_) {
      orders.push_back(failure(ErrorCode::kTooLarge, "a line of more than 1 MiB"));
    } else if (!rest_.empty()) {
      orders.push_back(read_order(rest_));
    }
    too_long_ = false;
    rest_.clear();
  }
  return orders;
}

}  // namespace gpusched
