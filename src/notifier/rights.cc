#include "notifier/rights.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "os/private_memory.h"

namespace gpusched::notifier {
namespace {

constexpr rlim_t kMemoryMost = 1U << 30;
constexpr rlim_t kDescriptorsMost = 256;

tl::unexpected<Error> cannot(const std::string& what) {
  return failure(ErrorCode::kForbidden, fmt::format("{}: {}", what, std::strerror(errno)));
}

bool bound(__rlimit_resource_t what, rlim_t most) {
  rlimit limit{};
  if (::getrlimit(what, &limit) != 0) return false;
  limit.rlim_cur = std::min(most, limit.rlim_max);
  return ::setrlimit(what, &limit) == 0;
}

Result<void> become_user(const std::string& user) {
  errno = 0;
  const passwd* entry = ::getpwnam(user.c_str());
  if (entry == nullptr) {
    return failure(ErrorCode::kForbidden, "there is no user " + user + " to run as");
  }
  if (entry->pw_uid == 0) return {};
  const gid_t group = entry->pw_gid;
  const uid_t id = entry->pw_uid;
  if (::setgroups(0, nullptr) != 0 || ::setresgid(group, group, group) != 0 ||
      ::setresuid(id, id, id) != 0) {
    return cannot("become " + user);
  }
  if (::setuid(0) == 0) {
    return failure(ErrorCode::kForbidden, "the rights of root cannot be given up");
  }
  return {};
}

}  // namespace

Result<void> give_up_rights(const std::string& user) {
  if (::geteuid() == 0) {
    if (auto done = become_user(user); !done) return done;
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return cannot("give up new rights");
  // After the change of user, which would undo it.
  if (!keep_memory_private()) return cannot("keep memory private");
  const rlimit none{0, 0};
  if (::setrlimit(RLIMIT_CORE, &none) != 0) return cannot("forbid core files");
  if (!bound(RLIMIT_NOFILE, kDescriptorsMost)) return cannot("bound descriptors");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // The sanitizers of a test build reserve far more than they use.
  if (!bound(RLIMIT_AS, kMemoryMost)) return cannot("bound memory");
#endif
  return {};
}

}  // namespace gpusched::notifier
