#include "store/file_system.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"

namespace gpusched {
namespace {

TEST(FileSystem, KnowsNetworkFileSystemsByMagic) {
  EXPECT_EQ(network_file_system_named(0x6969), "NFS");
  EXPECT_EQ(network_file_system_named(0xFF534D42), "CIFS");
  EXPECT_EQ(network_file_system_named(static_cast<int>(0xFF534D42)), "CIFS");
  EXPECT_EQ(network_file_system_named(0xFE534D42), "SMB2");
  EXPECT_EQ(network_file_system_named(0x517B), "SMB");
  EXPECT_EQ(network_file_system_named(0x01021997), "9p");
  EXPECT_EQ(network_file_system_named(0x5346414F), "AFS");
  EXPECT_EQ(network_file_system_named(0x00C36400), "Ceph");
  EXPECT_EQ(network_file_system_named(0x0BD00BD0), "Lustre");
}

TEST(FileSystem, TakesLocalFileSystems) {
  for (const long magic :
       {0xEF53L, 0x58465342L, 0x9123683EL, 0x01021994L, 0x794C7630L, 0x2FC12FC1L}) {
    EXPECT_EQ(network_file_system_named(magic), "") << magic;
  }
}

TEST(FileSystem, TellsRemoteFuseFromLocal) {
  const char* mounts =
      "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
      "40 22 0:50 / /home/a/far rw,nosuid shared:20 master:3 - fuse.sshfs host:/data rw\n"
      "41 22 0:51 / /mnt/disk rw - fuseblk /dev/sdb1 rw\n"
      "garbage\n";
  EXPECT_EQ(remote_fuse_mount(mounts, 0, 50), "fuse.sshfs");
  EXPECT_EQ(remote_fuse_mount(mounts, 0, 51), "");
  EXPECT_EQ(remote_fuse_mount(mounts, 8, 1), "");
  EXPECT_EQ(remote_fuse_mount("", 8, 1), "");
}

TEST(FileSystem, LooksAtARealDirectory) {
  const testing::TemporaryDirectory directory;
  EXPECT_TRUE(refuse_network_file_system(directory.path()));
  const Result<void> missing = refuse_network_file_system(directory / "nowhere");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("nowhere"), std::string::npos);
}

}  // namespace
}  // namespace gpusched
