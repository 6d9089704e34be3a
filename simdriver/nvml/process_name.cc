#include "simdriver/nvml/process_name.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "os/fd.h"

namespace gpusched::simdriver::nvml {

std::string name_of_process(const World& world, int pid) {
  for (const ForeignProcess& process : world.data().foreign) {
    if (process.used.load() != 0 && process.pid == pid) return process.name;
  }
  const std::string path = "/proc/" + std::to_string(pid) + "/cmdline";
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> buffer{};
  const ssize_t size = fd ? ::read(fd.get(), buffer.data(), buffer.size() - 1) : 0;
  // Arguments end in zero bytes: the first one is the program.
  return size > 0 ? std::string(buffer.data()) : std::string();
}

}  // namespace gpusched::simdriver::nvml
