#include <gpusched/scheduler.h>

#include <unistd.h>

#include <utility>

#include "scheduler/desk.h"

namespace gpusched {
inline namespace v1 {

Scheduling::Scheduling(Scheduling&& other) noexcept
    : desk_(std::move(other.desk_)),
      id_(other.id_),
      request_(std::move(other.request_)),
      granted_(std::exchange(other.granted_, false)),
      owns_(std::exchange(other.owns_, false)),
      cards_(std::move(other.cards_)),
      cpus_(std::exchange(other.cpus_, 0)),
      devices_(std::move(other.devices_)),
      process_(other.process_) {}

Scheduling& Scheduling::operator=(Scheduling&& other) noexcept {
  if (this == &other) return *this;
  if (owns_) (void)Release();
  desk_ = std::move(other.desk_);
  id_ = other.id_;
  request_ = std::move(other.request_);
  granted_ = std::exchange(other.granted_, false);
  owns_ = std::exchange(other.owns_, false);
  cards_ = std::move(other.cards_);
  cpus_ = std::exchange(other.cpus_, 0);
  devices_ = std::move(other.devices_);
  process_ = other.process_;
  return *this;
}

Scheduling::~Scheduling() {
  if (owns_) (void)Release();
}

std::string Scheduling::visible_devices() const { return devices_; }

Outcome<void> Scheduling::Check() const {
  if (!desk_) return Error{ErrorKind::kUnknown, "it has been released"};
  return desk_->check(id_);
}

Outcome<void> Scheduling::Resume(std::chrono::milliseconds at_most) const {
  if (!desk_) return Error{ErrorKind::kUnknown, "it has been released"};
  return desk_->resume(id_, at_most);
}

Outcome<void> Scheduling::Release() {
  if (!desk_) return {};
  if (process_ != ::getpid()) {
    return Error{ErrorKind::kUnknown,
                 "it belongs to the process that asked for it, and this is a child of that"};
  }
  Outcome<void> done = desk_->release(id_);
  // What could not be said now can be said again; the destructor tries once more.
  if (!done) return done;
  owns_ = false;
  granted_ = false;
  desk_.reset();
  return {};
}

GpuScheduler::GpuScheduler(SchedulerOptions options)
    : desk_(std::make_shared<detail::Desk>(std::move(options))) {}

GpuScheduler::~GpuScheduler() {
  if (desk_) desk_->leave();
}

GpuScheduler& GpuScheduler::operator=(GpuScheduler&& other) noexcept {
  if (this == &other) return *this;
  if (desk_) desk_->leave();
  desk_ = std::move(other.desk_);
  return *this;
}

Outcome<std::vector<Scheduling>> GpuScheduler::ScheduleGpuResources(
    const std::vector<GpuRequest>& gpus) {
  return desk_->ask(gpus);
}
Outcome<void> GpuScheduler::ResetScheduler() { return desk_->reset(); }
Outcome<std::vector<Scheduling>> GpuScheduler::GetCurrentSchedulings() const {
  return desk_->current();
}
Outcome<std::vector<WaitingGpu>> GpuScheduler::GetWaitingResources() const {
  return desk_->waiting();
}
Outcome<Scheduling> GpuScheduler::Wait(RequestId request, std::chrono::milliseconds at_most) {
  return desk_->wait(request, at_most);
}

}  // namespace v1
}  // namespace gpusched
