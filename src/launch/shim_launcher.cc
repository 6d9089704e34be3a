#include "launch/shim_launcher.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "jobdir/packet.h"
#include "os/clock.h"

namespace gpusched {

std::string find_launcher_program() {
  char self[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", self, sizeof self);
  const std::string path(self, length > 0 ? static_cast<std::size_t>(length) : 0);
  const std::string directory = path.substr(0, path.rfind('/') + 1);
  const std::string installed = directory + "../libexec/gpusched/gpusched-launcher";
  if (::access(installed.c_str(), X_OK) == 0) return installed;
  return directory + "gpusched-launcher";
}

namespace {

// Sealed, so that what was sent is what will be read.
Result<Fd> memory_file_of(const std::string& order) {
  Fd file(::memfd_create("gpusched-order", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  std::size_t done = 0;
  while (file && done < order.size()) {
    const ssize_t wrote = ::write(file.get(), order.data() + done, order.size() - done);
    if (wrote <= 0) break;
    done += static_cast<std::size_t>(wrote);
  }
  if (!file || done != order.size() ||
      ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) !=
          0) {
    return failure(ErrorCode::kIo, std::string("pack the order: ") + std::strerror(errno));
  }
  return file;
}

}  // namespace

ShimLauncher::ShimLauncher(boost::asio::io_context& loop, Options options)
    : loop_(loop), options_(std::move(options)) {
  if (const auto boot = read_boot_id()) boot_id_ = *boot;
}

ShimLauncher::~ShimLauncher() {
  link_.reset();
  attempts_.clear();
}

Result<std::shared_ptr<ShimLauncher>> ShimLauncher::start(boost::asio::io_context& loop,
                                                          Options options) {
  std::shared_ptr<ShimLauncher> launcher(new ShimLauncher(loop, std::move(options)));
  if (auto started = launcher->start_launcher(); !started) return failure(started.error());
  return launcher;
}

Result<void> ShimLauncher::start_launcher() {
  std::vector<std::string> command{options_.launcher_program, options_.state_directory};
  if (!options_.cgroup.path.empty()) command.push_back(options_.cgroup.path);
  LauncherLink::Handlers handlers;
  handlers.ready = [this] { on_ready(); };
  handlers.lost = [this] { on_launcher_lost(); };
  handlers.sent = [this](AttemptId attempt) {
    const auto found = attempts_.find(attempt);
    if (found == attempts_.end() || found->second.stage != Stage::kQueued) return;
    found->second.stage = Stage::kSent;
  };
  handlers.message = [this](LaunchMessage& message, std::vector<Fd>& passed) {
    on_message(message, passed);
  };
  handlers.complain = [this](const std::string& text) { complain(text); };
  link_ = std::make_unique<LauncherLink>(loop_, std::move(command), std::move(handlers));
  return link_->start();
}

void ShimLauncher::complain(const std::string& text) {
  if (options_.complain) options_.complain(text);
}

// A packet for small orders, a memory file for large ones: arguments and environment may be
// megabytes.
Result<void> ShimLauncher::send_order(const LaunchOrder& order, Fd go) {
  LaunchRequest request{order.attempt, go.valid(), order.adopted.has_value(), encode_order(order)};
  std::vector<Fd> files;
  if (go) files.push_back(std::move(go));
  if (request.order.size() > kLargestInlineOrder) {
    auto file = memory_file_of(request.order);
    if (!file) return failure(std::move(file.error()));
    files.push_back(std::move(*file));
    request.order.clear();
  }
  link_->send(encode(request), std::move(files), order.attempt);
  return {};
}

void ShimLauncher::prepare(const LaunchOrder& order) {
  int ends[2];
  if (!link_->ready() || attempts_.contains(order.attempt) ||
      ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return;
  }
  attempts_[order.attempt].go.reset(ends[0]);
  if (order.adopted) attempts_[order.attempt].adopted_pid = order.adopted->pid;
  if (!send_order(order, Fd(ends[1]))) attempts_.erase(order.attempt);
}

void ShimLauncher::abandon(AttemptId attempt) {
  const auto found = attempts_.find(attempt);
  if (found == attempts_.end() || !found->second.go) return;
  drop_prepared(attempt);
}

void ShimLauncher::drop_prepared(AttemptId attempt) {
  const bool unsent = link_->withdraw(attempt);
  const auto found = attempts_.find(attempt);
  if (!unsent && !found->second.shim) ++dropped_[attempt];
  attempts_.erase(found);
}

bool ShimLauncher::is_of_dropped(AttemptId attempt) {
  const auto found = dropped_.find(attempt);
  if (found == dropped_.end()) return false;
  if (--found->second == 0) dropped_.erase(found);
  return true;
}

bool ShimLauncher::launch_prepared(AttemptId attempt) {
  const auto found = attempts_.find(attempt);
  if (found == attempts_.end() || !found->second.go) return false;
  const Fd go = std::move(found->second.go);
  if (send_packet(go.get(), "g", {}, MSG_DONTWAIT) == 0) return true;
  // Its shim is gone: whatever the reason was, it will come out the ordinary way.
  drop_prepared(attempt);
  return false;
}

void ShimLauncher::launch(LaunchOrder order) {
  if (launch_prepared(order.attempt)) return;
  Followed& followed = attempts_[order.attempt];
  followed.stage = Stage::kQueued;
  if (order.adopted) followed.adopted_pid = order.adopted->pid;
  if (auto sent = send_order(order, Fd()); !sent) {
    followed.stage = Stage::kUnknown;
    followed.error = sent.error().message;
    find_out_later(order.attempt);
  }
}

void ShimLauncher::reattach(AttemptId attempt) {
  attempts_[attempt].stage = Stage::kUnknown;
  if (link_->ready()) find_out_later(attempt);
}

void ShimLauncher::stop(AttemptId attempt, Seconds grace) {
  const auto found = attempts_.find(attempt);
  if (found == attempts_.end()) return;
  Followed& followed = found->second;
  followed.stop = followed.stop ? std::min(*followed.stop, grace) : grace;
  if (followed.stage == Stage::kQueued) return recall(attempt, followed);
  tend(attempt);
}

void ShimLauncher::recall(AttemptId attempt, Followed& followed) {
  link_->withdraw(attempt);
  followed.stage = Stage::kUnknown;
  if (link_->ready()) find_out_later(attempt);
}

void ShimLauncher::ask_to_save(AttemptId attempt, const SaveTerms& terms, Seconds grace) {
  const auto found = attempts_.find(attempt);
  if (found == attempts_.end()) return;
  if (found->second.stage == Stage::kQueued) return recall(attempt, found->second);
  found->second.save = SaveCommand{terms.signal, terms.grace, grace};
  tend(attempt);
}

void ShimLauncher::change_time(AttemptId attempt, const TimeRule& time) {
  const auto found = attempts_.find(attempt);
  if (found == attempts_.end()) return;
  found->second.time = time;
  tend(attempt);
}

void ShimLauncher::let_go(AttemptId attempt) {
  const auto found = attempts_.find(attempt);
  if (found == attempts_.end()) return;
  found->second.let_go = true;
  tend(attempt);
}

void ShimLauncher::end_containers(AttemptId attempt, Boot since, std::vector<std::string> groups) {
  link_->send(encode(EndContainersRequest{attempt, since, std::move(groups)}));
}

void ShimLauncher::forget(JobId job) {
  forget_.push_back(job);
  forget_more();
}

void ShimLauncher::forget_more() {
  constexpr std::size_t kMostAtOnce = 1000;
  if (!forgetting_.empty() || forget_.empty()) return;
  const std::size_t count = std::min(forget_.size(), kMostAtOnce);
  const auto end = forget_.begin() + static_cast<std::ptrdiff_t>(count);
  forgetting_.assign(forget_.begin(), end);
  forget_.erase(forget_.begin(), end);
  link_->send(encode(ForgetRequest{forgetting_}));
}

std::vector<std::pair<AttemptId, int>> ShimLauncher::shims() const {
  std::vector<std::pair<AttemptId, int>> found;
  for (const auto& [attempt, followed] : attempts_) {
    if (followed.stage == Stage::kFollowed && !followed.go && followed.shim_pid > 0) {
      const bool adopted = followed.adopted_pid > 0;
      found.emplace_back(attempt, adopted ? followed.adopted_pid : followed.shim_pid);
    }
  }
  return found;
}

bool ShimLauncher::runs(AttemptId attempt) const {
  const auto found = attempts_.find(attempt);
  return found != attempts_.end() && found->second.stage == Stage::kFollowed &&
         found->second.started;
}

int ShimLauncher::shim_of(AttemptId attempt) const {
  const auto found = attempts_.find(attempt);
  return found == attempts_.end() ? 0 : found->second.shim_pid;
}

bool ShimLauncher::take_changed() {
  auto now = shims();
  const bool changed = now != told_;
  told_ = std::move(now);
  return changed;
}

void ShimLauncher::on_ready() {
  for (auto& [attempt, followed] : attempts_) {
    if (followed.stage == Stage::kUnknown) find_out_later(attempt);
  }
}

void ShimLauncher::on_launcher_lost() {
  dropped_.clear();
  // What it was asked to do and did not confirm: only the claims can tell, once the next launcher
  // has the lock.
  // What was only prepared is forgotten: its launch will be asked for anew.
  std::erase_if(attempts_, [](const auto& entry) {
    return entry.second.go.valid() && entry.second.stage == Stage::kSent;
  });
  for (auto& [attempt, followed] : attempts_) {
    if (followed.stage == Stage::kSent) followed.stage = Stage::kUnknown;
    // Its workers may have died with it; ending a tree twice does no harm.
    if (followed.stage == Stage::kEndingTree) followed.stage = Stage::kUnknown;
  }
  if (!forgetting_.empty()) {
    forget_.insert(forget_.end(), forgetting_.begin(), forgetting_.end());
    forgetting_.clear();
    forget_more();
  }
  if (watcher_.launcher_lost) watcher_.launcher_lost();
}

}  // namespace gpusched
