#include "sampler/proc_directory.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/number.h"
#include "base/text.h"
#include "os/small_file.h"

namespace gpusched {
namespace {

constexpr std::size_t kCommandMost = 512;
constexpr std::size_t kEnvironmentMost = 1U << 17;

}  // namespace

std::string ProcDirectory::read(int pid, const char* file, std::size_t most) const {
  return read_small_file(root_ + "/" + std::to_string(pid) + "/" + file, most);
}

std::optional<ProcessStat> ProcDirectory::stat(int pid) const {
  const std::string text = read(pid, "stat", 4096);
  // The name in parentheses may hold anything, parentheses too; the fields follow the last one.
  const std::size_t name_begin = text.find('(');
  const std::size_t name_end = text.rfind(')');
  if (name_begin == std::string::npos || name_end < name_begin || name_end + 3 >= text.size()) {
    return std::nullopt;
  }
  ProcessStat stat;
  stat.name = text.substr(name_begin + 1, name_end - name_begin - 1);
  // After the state: parent is the 1st, start time the 19th.
  const char* at = text.c_str() + name_end + 3;
  for (int field = 1; field <= 19; ++field) {
    char* end = nullptr;
    const long long value = std::strtoll(at, &end, 10);
    if (end == at) return std::nullopt;
    if (field == 1) stat.parent = static_cast<int>(value);
    // Clock ticks, a hundred a second for every program whatever the kernel's own are.
    if (field == 19) stat.started = Boot{Microseconds{value * 10'000}};
    at = end;
  }
  return stat;
}

std::optional<std::uint32_t> ProcDirectory::uid(int pid) const {
  const std::string status = read(pid, "status", 8192);
  const std::size_t line = status.find("\nUid:");
  if (line == std::string::npos) return std::nullopt;
  const std::size_t begin = status.find_first_of("0123456789", line);
  const std::size_t end = std::min(status.find_first_not_of("0123456789", begin), status.size());
  std::uint32_t uid = 0;
  if (begin == std::string::npos) return std::nullopt;
  if (!whole_number(std::string_view(status).substr(begin, end - begin), uid)) return std::nullopt;
  return uid;
}

std::string ProcDirectory::cgroup(int pid) const { return read(pid, "cgroup", 1U << 16); }

std::string ProcDirectory::command(int pid) const {
  // One more than is kept: then it shows that something was cut.
  std::string text = read(pid, "cmdline", kCommandMost + 1);
  while (!text.empty() && text.back() == '\0') text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  if (text.empty()) {
    const auto known = stat(pid);
    if (known) text = "[" + known->name + "]";
  }
  return make_printable(std::move(text), kCommandMost);
}

std::optional<AttemptId> ProcDirectory::claimed_attempt(int pid) const {
  const std::string environment = read(pid, "environ", kEnvironmentMost);
  std::uint64_t job = 0;
  int number = 0;
  std::string_view rest = environment;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    const std::string_view variable = rest.substr(0, end);
    constexpr std::string_view kJob = "GPUSCHED_JOB_ID=", kAttempt = "GPUSCHED_ATTEMPT=";
    if (variable.starts_with(kJob)) whole_number(variable.substr(kJob.size()), job);
    if (variable.starts_with(kAttempt)) whole_number(variable.substr(kAttempt.size()), number);
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  if (job == 0 || number < 1) return std::nullopt;
  return AttemptId{JobId{job}, number};
}

std::string make_printable(std::string text, std::size_t most) {
  if (text.size() > most) {
    // Not in the middle of a character.
    std::size_t end = most - 3;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text.resize(end);
    text += "...";
  }
  const bool utf8 = is_utf8(text);
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !utf8)) c = '?';
  }
  return text;
}

}  // namespace gpusched
