#include "mover/host_memory.h"

#include <fcntl.h>

#include <cstdlib>

#include "base/fd.h"

namespace gpusched::mover {
namespace {

std::string read_small(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char text[8192];
  const ssize_t got = file ? ::read(file.get(), text, sizeof text) : 0;
  return {text, got > 0 ? static_cast<std::size_t>(got) : 0};
}

}  // namespace

std::optional<std::uint64_t> available_ram() {
  const std::string text = read_small("/proc/meminfo");
  const std::string key = "MemAvailable:";
  const std::size_t at = text.find(key);
  if (at == std::string::npos) return std::nullopt;
  return std::strtoull(text.c_str() + at + key.size(), nullptr, 10) * 1024;
}

std::optional<std::string> read_memory_max(const std::string& leaf) {
  if (leaf.empty()) return std::nullopt;
  std::string text = read_small(leaf + "/memory.max");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.empty() || text == "max") return std::nullopt;
  return text;
}

bool write_memory_max(const std::string& leaf, const std::string& value) {
  const Fd file(::open((leaf + "/memory.max").c_str(), O_WRONLY | O_CLOEXEC));
  return file &&
         ::write(file.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size());
}

}  // namespace gpusched::mover
