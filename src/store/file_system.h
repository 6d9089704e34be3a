// Network file systems are refused: their locks and their fdatasync do not keep SQLite's promises,
// and a store that may lose what was acknowledged is worse than none.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace gpusched {

// The name of the network file system that statfs's f_type stands for, or empty.
std::string_view network_file_system_named(long magic);

// FUSE has one magic number for local and remote file systems alike; the mount table tells them
// apart. Returns the type ("fuse.sshfs") if device major:minor is a remote one, else empty.
std::string_view remote_fuse_mount(std::string_view mountinfo, unsigned major, unsigned minor);

Result<void> refuse_network_file_system(const std::string& path);

}  // namespace gpusched
