#include "api/authenticate.h"

#include <fmt/format.h>

namespace gpusched {

Role role_of(std::uint32_t uid, std::uint32_t daemon_uid) {
  return uid == 0 || uid == daemon_uid ? Role::kAdministrator : Role::kUser;
}

Result<Principal> authenticate(const Peer& peer, std::uint32_t daemon_uid) {
  if (peer.network) {
    return failure(ErrorCode::kForbidden, "over the network a token is needed");
  }
  const Role role = role_of(peer.uid, daemon_uid);
  if (daemon_uid != 0 && role != Role::kAdministrator) {
    return failure(ErrorCode::kForbidden,
                   fmt::format("this daemon belongs to user {} and answers only that user and root",
                               daemon_uid));
  }
  return Principal{.uid = peer.uid, .gid = peer.gid, .role = role, .proof = Proof::kPeer};
}

}  // namespace gpusched
