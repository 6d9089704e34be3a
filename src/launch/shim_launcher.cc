#include "launch/shim_launcher.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "jobdir/packet.h"
#include "launch/shim_launcher_impl.h"

namespace gpusched {

Result<std::unique_ptr<ShimLauncher>> ShimLauncher::start(boost::asio::io_context& loop,
                                                          Options options, LauncherSink sink) {
  auto impl = std::make_shared<Impl>(loop, std::move(options), std::move(sink));
  if (auto started = impl->start(); !started) return failure(std::move(started.error()));
  return std::unique_ptr<ShimLauncher>(new ShimLauncher(std::move(impl)));
}

ShimLauncher::ShimLauncher(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
ShimLauncher::~ShimLauncher() { impl_->shut_down(); }

void ShimLauncher::prepare(const LaunchOrder& order) { impl_->prepare(order); }
void ShimLauncher::abandon(AttemptId attempt) { impl_->abandon(attempt); }
void ShimLauncher::launch(LaunchOrder order) { impl_->launch(order); }
void ShimLauncher::adopt(AttemptId attempt) { impl_->adopt(attempt); }
void ShimLauncher::stop(AttemptId attempt, Seconds grace) { impl_->stop(attempt, grace); }
void ShimLauncher::move_aside(MoveOrder order) { impl_->move(std::move(order), true); }
void ShimLauncher::bring_back(MoveOrder order) { impl_->move(std::move(order), false); }
void ShimLauncher::ask_to_save(AttemptId attempt, const SaveTerms& terms, Seconds grace) {
  impl_->ask_to_save(attempt, terms, grace);
}
void ShimLauncher::change_time(AttemptId attempt, const TimeRule& time) {
  impl_->change_time(attempt, time);
}
void ShimLauncher::let_go(AttemptId attempt) { impl_->let_go(attempt); }
void ShimLauncher::forget(JobId job) { impl_->forget(job); }
void ShimLauncher::end_containers(AttemptId attempt, Boot since, std::vector<std::string> groups) {
  impl_->end_containers(attempt, since, std::move(groups));
}
std::vector<std::pair<AttemptId, int>> ShimLauncher::shims() const { return impl_->shims(); }
int ShimLauncher::shim_of(AttemptId attempt) const { return impl_->shim_of(attempt); }
bool ShimLauncher::take_changed() { return impl_->take_changed(); }
int ShimLauncher::launcher_pid() const { return impl_->launcher_pid(); }

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

ShimLauncher::Impl::Impl(boost::asio::io_context& loop, Options options, LauncherSink sink)
    : loop_(loop), options_(std::move(options)), sink_(std::move(sink)) {
  if (const auto boot = read_boot_id()) boot_id_ = *boot;
}

Result<void> ShimLauncher::Impl::start() {
  std::vector<std::string> command{options_.launcher_program, options_.state_directory};
  if (!options_.cgroup.path.empty()) command.push_back(options_.cgroup.path);
  LauncherLink::Handlers handlers;
  handlers.ready = [this] { on_ready(); };
  handlers.lost = [this] { on_launcher_lost(); };
  handlers.writable = [this] { pump(); };
  handlers.message = [this](LaunchMessage& message, std::vector<Fd>& passed) {
    on_message(message, passed);
  };
  handlers.complain = [this](const std::string& text) { complain(text); };
  link_ = std::make_unique<LauncherLink>(loop_, std::move(command), std::move(handlers));
  moves_ = make_moves();
  return link_->start();
}

std::shared_ptr<MoveQueue> ShimLauncher::Impl::make_moves() {
  if (options_.mover.program.empty()) {
    const std::string& beside = options_.launcher_program;
    options_.mover.program = beside.substr(0, beside.rfind('/') + 1) + "gpusched-mover";
  }
  MoveQueue::Ports ports;
  ports.send = [this](std::string packet) {
    outbox_.push_back({{}, std::move(packet), {}});
    pump();
  };
  ports.runs = [this](AttemptId attempt) {
    const auto found = attempts_.find(attempt);
    return found != attempts_.end() && found->second.stage == Stage::kFollowed &&
           found->second.started;
  };
  ports.launcher = [this] { return launcher_pid(); };
  ports.report = [this](LauncherReport report) { sink_(std::move(report)); };
  ports.complain = [this](const std::string& text) { complain(text); };
  return std::make_shared<MoveQueue>(loop_, options_.state_directory, options_.mover,
                                     std::move(ports));
}

void ShimLauncher::Impl::shut_down() {
  moves_.reset();
  link_.reset();
  attempts_.clear();
}

void ShimLauncher::Impl::complain(const std::string& text) {
  if (options_.complain) options_.complain(text);
}

// A packet for small orders, a memory file for large ones: arguments and environment may be
// megabytes.
Result<void> ShimLauncher::Impl::send_order(const LaunchOrder& order, Fd go) {
  LaunchRequest request{order.attempt, go.valid(), order.adopted.has_value(), encode_order(order)};
  std::vector<Fd> files;
  if (go) files.push_back(std::move(go));
  if (request.order.size() > kLargestInlineOrder) {
    auto file = memory_file_of(request.order);
    if (!file) return failure(std::move(file.error()));
    files.push_back(std::move(*file));
    request.order.clear();
  }
  outbox_.push_back({order.attempt, encode(request), std::move(files)});
  pump();
  return {};
}

void ShimLauncher::Impl::prepare(const LaunchOrder& order) {
  int ends[2];
  if (!link_->ready() || attempts_.contains(order.attempt) ||
      ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return;
  }
  attempts_[order.attempt].go.reset(ends[0]);
  if (order.adopted) attempts_[order.attempt].adopted_pid = order.adopted->pid;
  if (!send_order(order, Fd(ends[1]))) attempts_.erase(order.attempt);
}

void ShimLauncher::Impl::abandon(AttemptId attempt) {
  const auto found = attempts_.find(attempt);
  if (found == attempts_.end() || !found->second.go) return;
  drop_prepared(attempt);
}

void ShimLauncher::Impl::drop_prepared(AttemptId attempt) {
  const auto unsent =
      std::erase_if(outbox_, [&](const Outgoing& one) { return one.attempt == attempt; });
  const auto found = attempts_.find(attempt);
  if (unsent == 0 && !found->second.shim) ++dropped_[attempt];
  attempts_.erase(found);
}

bool ShimLauncher::Impl::is_of_dropped(AttemptId attempt) {
  const auto found = dropped_.find(attempt);
  if (found == dropped_.end()) return false;
  if (--found->second == 0) dropped_.erase(found);
  return true;
}

bool ShimLauncher::Impl::launch_prepared(AttemptId attempt) {
  const auto found = attempts_.find(attempt);
  if (found == attempts_.end() || !found->second.go) return false;
  const Fd go = std::move(found->second.go);
  if (send_packet(go.get(), "g", {}, MSG_DONTWAIT) == 0) return true;
  // Its shim is gone: whatever the reason was, it will come out the ordinary way.
  drop_prepared(attempt);
  return false;
}

void ShimLauncher::Impl::launch(const LaunchOrder& order) {
  if (launch_prepared(order.attempt)) return;
  Followed& followed = attempts_[order.attempt];
  followed.stage = Stage::kQueued;
  if (order.adopted) followed.adopted_pid = order.adopted->pid;
  if (auto sent = send_order(order, Fd()); !sent) {
    followed.stage = Stage::kUnsettled;
    followed.error = sent.error().message;
    settle_later(order.attempt);
  }
}

void ShimLauncher::Impl::adopt(AttemptId attempt) {
  attempts_[attempt].stage = Stage::kUnsettled;
  if (link_->ready()) settle_later(attempt);
}

void ShimLauncher::Impl::stop(AttemptId attempt, Seconds grace) {
  const auto found = attempts_.find(attempt);
  if (found == attempts_.end()) return;
  Followed& followed = found->second;
  followed.stop = followed.stop ? std::min(*followed.stop, grace) : grace;
  if (followed.stage == Stage::kQueued) return recall(attempt, followed);
  tend(attempt);
}

void ShimLauncher::Impl::recall(AttemptId attempt, Followed& followed) {
  std::erase_if(outbox_, [&](const Outgoing& one) { return one.attempt == attempt; });
  followed.stage = Stage::kUnsettled;
  if (link_->ready()) settle_later(attempt);
}

void ShimLauncher::Impl::ask_to_save(AttemptId attempt, const SaveTerms& terms, Seconds grace) {
  const auto found = attempts_.find(attempt);
  if (found == attempts_.end()) return;
  if (found->second.stage == Stage::kQueued) return recall(attempt, found->second);
  found->second.save = SaveCommand{terms.signal, terms.grace, grace};
  tend(attempt);
}

void ShimLauncher::Impl::move(MoveOrder order, bool out) {
  if (order.holder || attempts_.contains(order.attempt)) moves_->order(std::move(order), out);
}

void ShimLauncher::Impl::change_time(AttemptId attempt, const TimeRule& time) {
  const auto found = attempts_.find(attempt);
  if (found == attempts_.end()) return;
  found->second.time = time;
  tend(attempt);
}

void ShimLauncher::Impl::let_go(AttemptId attempt) {
  const auto found = attempts_.find(attempt);
  if (found == attempts_.end()) return;
  found->second.let_go = true;
  tend(attempt);
}

void ShimLauncher::Impl::end_containers(AttemptId attempt, Boot since,
                                        std::vector<std::string> groups) {
  outbox_.push_back({{}, encode(EndContainersRequest{attempt, since, std::move(groups)}), {}});
  pump();
}

void ShimLauncher::Impl::forget(JobId job) {
  forget_.push_back(job);
  forget_more();
}

void ShimLauncher::Impl::forget_more() {
  constexpr std::size_t kMostAtOnce = 1000;
  if (!forgetting_.empty() || forget_.empty()) return;
  const std::size_t count = std::min(forget_.size(), kMostAtOnce);
  const auto end = forget_.begin() + static_cast<std::ptrdiff_t>(count);
  forgetting_.assign(forget_.begin(), end);
  forget_.erase(forget_.begin(), end);
  outbox_.push_back({{}, encode(ForgetRequest{forgetting_}), {}});
  pump();
}

void ShimLauncher::Impl::pump() {
  while (!outbox_.empty()) {
    std::vector<int> passed;
    for (const Fd& file : outbox_.front().files) passed.push_back(file.get());
    if (!link_->send(outbox_.front().packet, passed)) return;
    const auto found = attempts_.find(outbox_.front().attempt);
    if (found != attempts_.end() && found->second.stage == Stage::kQueued) {
      found->second.stage = Stage::kSent;
    }
    outbox_.pop_front();
  }
}

std::vector<std::pair<AttemptId, int>> ShimLauncher::Impl::shims() const {
  std::vector<std::pair<AttemptId, int>> found;
  for (const auto& [attempt, followed] : attempts_) {
    if (followed.stage == Stage::kFollowed && !followed.go && followed.shim_pid > 0) {
      const bool adopted = followed.adopted_pid > 0;
      found.emplace_back(attempt, adopted ? followed.adopted_pid : followed.shim_pid);
    }
  }
  return found;
}

int ShimLauncher::Impl::shim_of(AttemptId attempt) const {
  const auto found = attempts_.find(attempt);
  return found == attempts_.end() ? 0 : found->second.shim_pid;
}

bool ShimLauncher::Impl::take_changed() {
  auto now = shims();
  const bool changed = now != told_;
  told_ = std::move(now);
  return changed;
}

void ShimLauncher::Impl::on_ready() {
  for (auto& [attempt, followed] : attempts_) {
    if (followed.stage == Stage::kUnsettled) settle_later(attempt);
  }
  pump();
}

void ShimLauncher::Impl::on_launcher_lost() {
  dropped_.clear();
  // What it was asked to do and did not confirm: only the claims can tell, once the next launcher
  // has the lock.
  // What was only prepared is forgotten: its launch will be asked for anew.
  std::erase_if(attempts_, [](const auto& entry) {
    return entry.second.go.valid() && entry.second.stage == Stage::kSent;
  });
  for (auto& [attempt, followed] : attempts_) {
    if (followed.stage == Stage::kSent) followed.stage = Stage::kUnsettled;
    // Its workers may have died with it; ending a tree twice does no harm.
    if (followed.stage == Stage::kEndingTree) followed.stage = Stage::kUnsettled;
  }
  if (!forgetting_.empty()) {
    forget_.insert(forget_.end(), forgetting_.begin(), forgetting_.end());
    forgetting_.clear();
    forget_more();
  }
  moves_->launcher_lost();
}

}  // namespace gpusched
