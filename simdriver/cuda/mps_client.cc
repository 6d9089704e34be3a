#include "simdriver/cuda/mps_client.h"

#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cstdlib>
#include <limits>

#include "simdriver/mps/protocol.h"

namespace gpusched::simdriver::cuda {

std::map<Ordinal, std::uint64_t> pinned_limits(const char* text) {
  std::map<Ordinal, std::uint64_t> limits;
  while (text != nullptr && *text != '\0') {
    char* end = nullptr;
    const long ordinal = std::strtol(text, &end, 10);
    if (end == text || *end != '=') break;
    text = end + 1;
    std::uint64_t bytes = std::strtoull(text, &end, 10);
    if (end == text) break;
    if (*end == 'G') bytes <<= 30;
    if (*end == 'M') bytes <<= 20;
    if (*end == 'G' || *end == 'M') ++end;
    limits[static_cast<Ordinal>(ordinal)] = bytes;
    if (*end != ',') break;
    text = end + 1;
  }
  return limits;
}

std::optional<MpsClient> MpsClient::connect(int& code) {
  code = kSuccess;
  const char* place = std::getenv(kMpsPipeVariable);
  struct stat about {};
  // As the real one does, it looks for the control socket; only a place that is named counts here.
  if (place == nullptr || ::stat((std::string(place) + "/control").c_str(), &about) != 0) {
    return std::nullopt;
  }
  MpsClient client;
  if (S_ISSOCK(about.st_mode)) {
    const auto answer = ask_mps(place, kMpsClientAsks);
    if (!answer) return std::nullopt;
    const int pid = std::atoi(answer->c_str());
    if (pid > 0) client.server_.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!client.server_) {
      code = kMpsConnectionFailed;
      return std::nullopt;
    }
  }
  client.limits_ = pinned_limits(std::getenv("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"));
  if (const char* percent = std::getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE")) {
    const int asked = std::atoi(percent);
    if (asked > 0 && asked < 100) client.thread_percent_ = static_cast<unsigned>(asked);
  }
  return client;
}

bool MpsClient::server_lives() const {
  pollfd look{server_.get(), POLLIN, 0};
  return !server_ || ::poll(&look, 1, 0) == 0;
}

std::uint64_t MpsClient::limit_of(Ordinal ordinal) const {
  const auto found = limits_.find(ordinal);
  return found == limits_.end() ? std::numeric_limits<std::uint64_t>::max() : found->second;
}

}  // namespace gpusched::simdriver::cuda
