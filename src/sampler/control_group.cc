#include "sampler/control_group.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace gpusched {
namespace {

using watch::Container;
using Kind = Container::Kind;

bool is_hex_id(std::string_view text) {
  return text.size() == 64 && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}
bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// The path of every line: "0::/a/b" (version 2), "4:memory:/a/b" (version 1).
template <class Visit>
void each_path(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::string_view line = take_until(text, '\n');
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second != std::string_view::npos) visit(line.substr(second + 1));
  }
}

// "kubepods-burstable-pod1f0e_…_9a.slice", "pod1f0e-…-9a": the UID with dashes. Empty: no pod.
std::string pod_of(const std::vector<std::string_view>& parts) {
  for (std::string_view part : parts) {
    take_suffix(part, ".slice");
    const bool kubernetes = take_prefix(part, "kubepods-");
    if (kubernetes) {
      take_prefix(part, "burstable-");
      take_prefix(part, "besteffort-");
    }
    if (!take_prefix(part, "pod") || part.size() < 32 || part.size() > 36) continue;
    std::string uid(part);
    std::ranges::replace(uid, '_', '-');
    return uid;
  }
  return {};
}

bool below_kubernetes(const std::vector<std::string_view>& parts) {
  return std::ranges::any_of(parts, [](std::string_view part) {
    return part == "kubepods" || part == "kubepods.slice" || part.starts_with("kubepods-");
  });
}

// Units of systemd: "docker-<id>.scope" and the like.
std::optional<Container> from_scope(std::string_view part) {
  constexpr std::pair<std::string_view, Kind> kPrefixes[] = {
      {"docker-", Kind::kDocker},
      {"libpod-payload-", Kind::kPodman},
      {"libpod-", Kind::kPodman},
      {"cri-containerd-", Kind::kContainerd},
      {"nerdctl-", Kind::kContainerd},
      {"containerd-", Kind::kContainerd},
      {"crio-", Kind::kCrio},
      {"apptainer-", Kind::kApptainer},
      {"singularity-", Kind::kApptainer},
  };
  if (!take_suffix(part, ".scope")) {
    // Podman with cgroupfs, and the payload group inside its scope.
    for (const std::string_view prefix : {"libpod-payload-", "libpod-"}) {
      std::string_view rest = part;
      if (take_prefix(rest, prefix) && is_hex_id(rest)) {
        return Container{Kind::kPodman, std::string(rest), {}};
      }
    }
    return std::nullopt;
  }
  for (const auto& [prefix, kind] : kPrefixes) {
    std::string_view rest = part;
    if (!take_prefix(rest, prefix)) continue;
    // Its monitor, not the container: "libpod-conmon-<id>.scope", "crio-conmon-<id>.scope".
    if (rest.starts_with("conmon-")) return std::nullopt;
    // Apptainer's are named by pid, not by a digest.
    if (is_hex_id(rest) || (kind == Kind::kApptainer && !rest.empty())) {
      return Container{kind, std::string(rest), {}};
    }
  }
  return std::nullopt;
}

// A group whose name is the id alone: what its parents are called says whose it is.
std::optional<Container> from_digest(const std::vector<std::string_view>& parts, std::size_t at) {
  if (!is_hex_id(parts[at])) return std::nullopt;
  const std::string id(parts[at]);
  for (std::size_t i = at; i-- > 0;) {
    if (parts[i] == "docker" || parts[i] == "docker.slice") return Container{Kind::kDocker, id, {}};
    if (parts[i] == "libpod_parent" || parts[i] == "podman")
      return Container{Kind::kPodman, id, {}};
    if (parts[i] == "crio") return Container{Kind::kCrio, id, {}};
    if (parts[i] == "containerd" || parts[i] == "nerdctl") {
      return Container{Kind::kContainerd, id, {}};
    }
  }
  if (below_kubernetes(parts)) return Container{Kind::kContainerd, id, {}};
  return std::nullopt;
}

std::optional<Container> from_name(const std::vector<std::string_view>& parts, std::size_t at) {
  std::string_view part = parts[at];
  const bool below = at > 0;
  // LXC: "lxc.payload.NAME", "lxc/NAME" (older), "lxc.payload/NAME".
  std::string_view rest = part;
  if (take_prefix(rest, "lxc.payload.") && !rest.empty()) {
    return Container{Kind::kLxc, std::string(rest), {}};
  }
  if (below && (parts[at - 1] == "lxc" || parts[at - 1] == "lxc.payload")) {
    return Container{Kind::kLxc, std::string(part), {}};
  }
  // systemd: "machine.slice/machine-NAME.scope", "systemd-nspawn@NAME.service".
  rest = part;
  if (take_prefix(rest, "systemd-nspawn@") && take_suffix(rest, ".service") && !rest.empty()) {
    return Container{Kind::kSystemd, std::string(rest), {}};
  }
  rest = part;
  if (below && parts[at - 1] == "machine.slice" && take_prefix(rest, "machine-") &&
      take_suffix(rest, ".scope") && !rest.empty()) {
    return Container{Kind::kSystemd, std::string(rest), {}};
  }
  // "docker/NAME" does not occur; apptainer with cgroupfs: "apptainer/PID", "singularity/PID".
  if (below && (parts[at - 1] == "apptainer" || parts[at - 1] == "singularity")) {
    return Container{Kind::kApptainer, std::string(part), {}};
  }
  return std::nullopt;
}

// containerd with systemd's driver but without systemd: "system.slice:cri-containerd:<id>".
std::optional<Container> from_colons(std::string_view part) {
  const std::size_t last = part.rfind(':');
  if (last == std::string_view::npos || !is_hex_id(part.substr(last + 1))) return std::nullopt;
  const std::string_view before = part.substr(0, last);
  const std::string id(part.substr(last + 1));
  if (before.ends_with(":docker")) return Container{Kind::kDocker, id, {}};
  if (before.ends_with(":libpod")) return Container{Kind::kPodman, id, {}};
  if (before.ends_with(":crio")) return Container{Kind::kCrio, id, {}};
  if (before.ends_with("containerd") || before.ends_with(":nerdctl")) {
    return Container{Kind::kContainerd, id, {}};
  }
  return std::nullopt;
}

std::optional<Container> container_in(std::string_view path) {
  const std::vector<std::string_view> parts = split_nonempty(path, '/');
  for (std::size_t at = parts.size(); at-- > 0;) {
    auto found = from_scope(parts[at]);
    if (!found) found = from_digest(parts, at);
    if (!found) found = from_colons(parts[at]);
    if (!found) found = from_name(parts, at);
    if (!found) continue;
    if (below_kubernetes(parts)) found->pod = pod_of(parts);
    const std::string_view part = parts[at];
    found->group =
        path.substr(0, static_cast<std::size_t>(part.data() + part.size() - path.data()));
    return found;
  }
  return std::nullopt;
}

std::optional<AttemptId> attempt_named(std::string_view part) {
  std::uint64_t job = 0;
  int number = 0;
  const char* end = part.data() + part.size();
  const auto first = std::from_chars(part.data(), end, job);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '.') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, number);
  if (second.ec != std::errc{} || second.ptr != end || number < 1) return std::nullopt;
  return AttemptId{JobId{job}, number};
}

}  // namespace

std::optional<Container> container_of(std::string_view cgroup_text) {
  std::optional<Container> found;
  // Version 1 has the same path on many lines; some of them may be cut off by a namespace.
  each_path(cgroup_text, [&](std::string_view path) {
    if (!found) found = container_in(path);
  });
  return found;
}

std::optional<AttemptId> attempt_of(std::string_view cgroup_text, std::string_view base) {
  std::optional<AttemptId> found;
  each_path(cgroup_text, [&](std::string_view path) {
    constexpr std::string_view kJobs = "/jobs/";
    std::size_t at = path.find(kJobs);
    while (at != std::string_view::npos && !found) {
      // The mount point is not in the path; what comes after it must be the end of the base.
      const bool ours = !base.empty() && base.ends_with(path.substr(0, at));
      std::string_view leaf = path.substr(at + kJobs.size());
      leaf = leaf.substr(0, leaf.find('/'));
      if (ours) found = attempt_named(leaf);
      at = path.find(kJobs, at + 1);
    }
  });
  return found;
}

}  // namespace gpusched
