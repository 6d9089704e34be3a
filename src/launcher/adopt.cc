#include "launcher/adopt.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "jobdir/launch_protocol.h"
#include "jobdir/packet.h"
#include "launcher/adopted_tree.h"
#include "launcher/attempt_entries.h"
#include "launcher/shim.h"
#include "launcher/supervisor.h"

namespace gpusched {
namespace {

constexpr const char* kAdoptionFile = "adopted";

// What an earlier shim of this attempt left.
struct Before {
  bool claimed = false;
  bool over = false;  // There is nothing left to watch over.
  std::optional<StatusRecord> status;
};

Result<Before> look_back(int directory, LaunchOrder& order) {
  Before before;
  const auto claim = read_file(directory, "claim");
  if (!claim) return failure(claim.error());
  if (!claim->has_value()) return before;
  before.claimed = true;
  const auto parsed = parse_claim(**claim);
  const auto exit = read_file(directory, "exit");
  // Recovery has claimed it, or it has ended.
  if (parsed && order.holds.empty()) order.holds = parsed->holds;
  before.over = !parsed || !parsed->by_shim || !exit || exit->has_value();
  if (parsed && parsed->owner) {
    order.command.owner.uid = parsed->owner->uid;
    order.command.owner.gid = parsed->owner->gid;
  }
  const auto adoption = read_file(directory, kAdoptionFile);
  if (adoption && adoption->has_value()) {
    if (const auto kept = parse_adoption(**adoption)) {
      order.command.owner.uid = kept->uid;
      order.command.owner.gid = kept->gid;
      order.time = kept->time;
    }
  }
  const auto status = read_file(directory, "status");
  if (status && status->has_value()) {
    if (auto kept = parse_status(**status)) before.status = std::move(*kept);
  }
  return before;
}

// The name is taken over in one step: nobody sees the attempt without a claim.
Result<bool> take_claim(int directory, const ClaimDraft& draft, bool after_another) {
  if (!after_another) return post_claim(directory, draft);
  if (::renameat(directory, draft.name.c_str(), directory, "claim") == 0) return true;
  return failure(ErrorCode::kIo, std::string("take over the claim: ") + std::strerror(errno));
}

}  // namespace

void run_adopting_shim(const ShimSettings& settings, AttemptId attempt, const std::string& bytes,
                       Fd go) {
  ::prctl(PR_SET_NAME, "gpusched-shim");
  const auto give_up = [&](std::string why) {
    const ShimGaveUp said{attempt, std::move(why)};
    send_packet(settings.report_fd, encode(said), {}, MSG_DONTWAIT);
  };
  auto order = decode_order(bytes);
  if (!order || !order->adopted) return give_up("the order names no process");
  ShimParts parts;
  parts.order = std::move(*order);
  parts.order.attempt = attempt;
  auto directory = make_attempt(settings.jobs_fd, attempt);
  if (!directory) return give_up(directory.error().message);
  parts.directory = std::move(*directory);
  const int inside = parts.directory.get();
  // Held for life: whoever gets it is alone, and whoever was here before is dead.
  ::flock(inside, LOCK_EX);
  const auto before = look_back(inside, parts.order);
  if (!before) return give_up(before.error().message);
  if (before->over) return;
  auto control = listen_for_control(inside);
  if (!control) return give_up(control.error().message);
  parts.control = std::move(*control);
  if (auto kept = keep_adoption(inside, parts.order); !kept) return give_up(kept.error().message);
  auto draft = draft_claim(
      inside, {.pid = ::getpid(),
               .boot_id = settings.boot_id,
               .cgroup = {},
               .process = parts.order.adopted,
               .state = settings.state_id,
               .owner = ClaimOwner{parts.order.command.owner.uid, parts.order.command.owner.gid},
               .holds = parts.order.holds});
  if (!draft) return give_up(draft.error().message);
  if (go && !wait_for_go(go.get())) {
    drop_draft(inside, *draft);
    for (const char* name : {"control", kAdoptionFile}) ::unlinkat(inside, name, 0);
    return;
  }
  go.reset();
  const auto won = take_claim(inside, *draft, before->claimed);
  drop_draft(inside, *draft);
  if (!won) return give_up(won.error().message);
  if (!*won) return;
  parts.claim = std::move(draft->file);
  Supervisor(settings, parts).watch_over(AdoptedTree::find(*parts.order.adopted), before->status);
}

Result<void> keep_adoption(int directory, const LaunchOrder& order) {
  const AdoptionRecord record{order.command.owner.uid, order.command.owner.gid, order.time};
  return replace_file(directory, kAdoptionFile, write_adoption(record), 0600);
}

}  // namespace gpusched
