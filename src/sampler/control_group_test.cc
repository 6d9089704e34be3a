#include "sampler/control_group.h"

#include <gtest/gtest.h>

#include <string>

namespace gpusched {
namespace {

using watch::Container;
using Kind = Container::Kind;

const std::string kId = "4f1e7a9d3c5b2086e4f1a7d93c5b20864f1e7a9d3c5b2086e4f1a7d93c5b2086";
const std::string kPod = "1f0e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
const std::string kPodOfUnit = "1f0e2d3c_4b5a_6978_8796_a5b4c3d2e1f0";

struct Row {
  std::string text;
  std::optional<Container> container;
};

TEST(ControlGroup, NamesTheContainer) {
  const Row rows[] = {
      {"0::/system.slice/docker-" + kId + ".scope\n", Container{Kind::kDocker, kId, {}}},
      {"0::/docker/" + kId + "\n", Container{Kind::kDocker, kId, {}}},
      {"0::/docker/" + kId + "/init.scope\n", Container{Kind::kDocker, kId, {}}},
      {"12:memory:/docker/" + kId + "\n11:cpu,cpuacct:/docker/" + kId + "\n0::/\n",
       Container{Kind::kDocker, kId, {}}},
      {"0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + kId +
           ".scope/container\n",
       Container{Kind::kPodman, kId, {}}},
      {"0::/machine.slice/libpod-" + kId + ".scope\n", Container{Kind::kPodman, kId, {}}},
      {"0::/libpod_parent/libpod-" + kId + "\n", Container{Kind::kPodman, kId, {}}},
      {"0::/machine.slice/libpod-conmon-" + kId + ".scope\n", std::nullopt},
      {"0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" + kPodOfUnit +
           ".slice/cri-containerd-" + kId + ".scope\n",
       Container{Kind::kContainerd, kId, kPod}},
      {"0::/kubepods/besteffort/pod" + kPod + "/" + kId + "\n",
       Container{Kind::kContainerd, kId, kPod}},
      {"0::/kubepods.slice/kubepods-pod" + kPodOfUnit + ".slice/crio-" + kId + ".scope\n",
       Container{Kind::kCrio, kId, kPod}},
      {"0::/system.slice/containerd.service/kubepods-burstable-pod" + kPodOfUnit +
           ".slice:cri-containerd:" + kId + "\n",
       Container{Kind::kContainerd, kId, {}}},
      {"0::/system.slice/nerdctl-" + kId + ".scope\n", Container{Kind::kContainerd, kId, {}}},
      {"0::/lxc.payload.build-7/system.slice/ssh.service\n", Container{Kind::kLxc, "build-7", {}}},
      {"4:memory:/lxc/build-7\n", Container{Kind::kLxc, "build-7", {}}},
      {"0::/machine.slice/machine-deb.scope\n", Container{Kind::kSystemd, "deb", {}}},
      {"0::/machine.slice/systemd-nspawn@deb.service/payload\n",
       Container{Kind::kSystemd, "deb", {}}},
      {"0::/user.slice/user-1000.slice/user@1000.service/user.slice/apptainer-812.scope\n",
       Container{Kind::kApptainer, "812", {}}},
      {"0::/singularity/812\n", Container{Kind::kApptainer, "812", {}}},
      {"0::/user.slice/user-1000.slice/session-3.scope\n", std::nullopt},
      {"0::/system.slice/docker.service\n", std::nullopt},
      {"0::/docker/short\n", std::nullopt},
      {"0::/gpusched-12/jobs/7.1\n", std::nullopt},
      {"0::/\n", std::nullopt},
      {"", std::nullopt},
      {"garbage", std::nullopt},
      {"::\n:\n\n0::", std::nullopt},
  };
  for (const Row& row : rows) {
    const auto found = container_of(row.text);
    ASSERT_EQ(found.has_value(), row.container.has_value()) << row.text;
    if (!found) continue;
    EXPECT_EQ(static_cast<int>(found->kind), static_cast<int>(row.container->kind)) << row.text;
    EXPECT_EQ(found->id, row.container->id) << row.text;
    EXPECT_EQ(found->pod, row.container->pod) << row.text;
  }
}

TEST(ControlGroup, TheInnermostContainerCounts) {
  const std::string inner(64, 'a');
  const auto found = container_of("0::/lxc.payload.host/docker/" + kId + "/docker/" + inner + "\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, inner);
}

// Anybody may name a group after somebody else's container; the place of it cannot be chosen.
TEST(ControlGroup, SaysWhichGroupTheContainerIs) {
  const std::string real = "/system.slice/docker-" + kId + ".scope";
  const std::string made = "/user.slice/user-1000.slice/user@1000.service/docker-" + kId + ".scope";
  const auto of_real = container_of("0::" + real + "/init\n");
  const auto of_made = container_of("0::" + made + "\n");
  ASSERT_TRUE(of_real && of_made);
  EXPECT_EQ(of_real->group, real);
  EXPECT_EQ(of_made->group, made);
  EXPECT_NE(of_real, of_made);
}

TEST(ControlGroup, NamesTheAttempt) {
  const char* base = "/sys/fs/cgroup/x";
  EXPECT_EQ(attempt_of("0::/x/jobs/7.1\n", base), (AttemptId{JobId{7}, 1}));
  EXPECT_EQ(attempt_of("5:memory:/\n0::/x/jobs/123.4/inner/deep\n", base),
            (AttemptId{JobId{123}, 4}));
  EXPECT_EQ(attempt_of("0::/x/jobs/8.2/docker/" + kId + "\n", base), (AttemptId{JobId{8}, 2}))
      << "a container that was made inside the job";
  for (const char* other : {"0::/gpusched/shims\n", "0::/jobs\n", "0::/jobs/7\n", "0::/jobs/7.\n",
                            "0::/jobs/.1\n", "0::/jobs/7.0\n", "0::/jobs/7.1x\n", "0::/7.1\n",
                            "0::/jobs/-7.1\n", "0::/jobs/99999999999999999999.1\n", ""}) {
    EXPECT_FALSE(attempt_of(other, base)) << other;
  }
}

TEST(ControlGroup, AnotherDaemonsJobsAreNotOurs) {
  const char* text = "0::/gpusched-12ab/jobs/7.1\n";
  EXPECT_TRUE(attempt_of(text, "/sys/fs/cgroup/gpusched-12ab"));
  EXPECT_TRUE(attempt_of(text, "/sys/fs/cgroup/unified/gpusched-12ab"));
  EXPECT_FALSE(attempt_of(text, "/sys/fs/cgroup/gpusched-34cd"));
  EXPECT_FALSE(attempt_of(text, "")) << "without a group of its own a daemon has no jobs in groups";
  EXPECT_TRUE(attempt_of("0::/jobs/7.1\n", "/sys/fs/cgroup/gpusched-34cd"))
      << "the root of a cgroup namespace";
}

}  // namespace
}  // namespace gpusched
