#include "wire/lease.h"

#include <fmt/format.h>

#include <limits>

#include "wire/environment.h"
#include "wire/labels.h"
#include "wire/message_json.h"
#include "wire/messages/lease.h"
#include "wire/spec_fields.h"

namespace gpusched {
namespace {

std::optional<std::string> fault_of_lease(const LeaseBody& body) {
  const JobSpec& spec = body.spec;
  if (auto fault = fault_of_labels(spec)) return fault;
  if (auto fault = fault_of_label("application", spec.lease->application)) return fault;
  if (spec.needs.gpus.most == 0) return "gpus must be at least 1: a lease is of cards";
  if (spec.lease->by_connection && spec.lease->pid != 0) {
    return "pid has no place with holder \"connection\"";
  }
  return std::nullopt;
}

Result<LeaseBody> read_lease(const JsonValue& value, const std::string& path) {
  Fields fields(value, path);
  LeaseBody body;
  JobSpec& spec = body.spec;
  spec.lease = std::make_shared<LeaseTerms>();
  LeaseTerms& terms = *spec.lease;
  wire::LeaseRequest asked;
  wire::take_fields(fields, asked);
  read_needs(fields, spec);
  spec.name = std::move(asked.name);
  spec.group = std::move(asked.group);
  spec.project = std::move(asked.project);
  spec.time.limit = asked.ttl;
  spec.time.grace = Seconds{0};
  if (asked.preempt == "never") spec.preempt = PreemptPolicy::kNever;
  terms.by_connection = asked.holder == "connection";
  terms.pid = asked.pid;
  terms.application = std::move(asked.application);
  terms.by_turns = asked.placement == "round-robin";
  body.priority = asked.priority;
  body.wait_at_most = std::chrono::milliseconds(asked.wait_at_most_ms);
  if (Result<void> read = fields.finish(); !read) return failure(read.error());
  if (auto fault = fault_of_lease(body)) return failure(ErrorCode::kInvalid, path + *fault);
  spec.environment = unnamed_environment({});
  return body;
}

}  // namespace

Result<LeaseBodies> parse_leases(std::string_view json) {
  Result<JsonValue> value = parse_json(json.empty() ? std::string_view("{}") : json);
  if (!value) return failure(value.error());
  LeaseBodies bodies;
  bodies.list = value->find("leases") != nullptr;
  if (!bodies.list) {
    Result<LeaseBody> one = read_lease(*value, "");
    if (!one) return failure(one.error());
    bodies.leases.push_back(std::move(*one));
    return bodies;
  }
  Fields fields(*value);
  const JsonArray* list = fields.list("leases");
  if (Result<void> read = fields.finish(); !read) return failure(read.error());
  if (list == nullptr || list->empty() || list->size() > kLeasesMost) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("leases must have 1 to {} entries", kLeasesMost));
  }
  for (const JsonValue& entry : *list) {
    Result<LeaseBody> one = read_lease(entry, fmt::format("leases[{}].", bodies.leases.size()));
    if (!one) return failure(one.error());
    if (one->spec.lease->by_connection) {
      return failure(ErrorCode::kInvalid,
                     "leases of a list are held by a process; ask for one with holder "
                     "\"connection\" alone");
    }
    bodies.leases.push_back(std::move(*one));
  }
  return bodies;
}

Result<Seconds> parse_renewal(std::string_view json) {
  const Result<wire::RenewRequest> asked = wire::read_request<wire::RenewRequest>(json);
  if (!asked) return failure(asked.error());
  return asked->ttl;
}

void write_lease_terms(JsonWriter& json, const LeaseTerms& terms) {
  json.key("lease").begin_object();
  json.field("holder", terms.by_connection ? "connection" : "process").field("pid", terms.pid);
  json.field("pid_started", terms.pid_started).field("application", terms.application);
  if (!terms.program.empty()) json.field("program", terms.program);
  json.field("placement", terms.by_turns ? "round-robin" : "default").end_object();
}

void read_lease_terms(Fields& fields, std::shared_ptr<LeaseTerms>& terms) {
  const JsonValue* lease = fields.value("lease");
  if (lease == nullptr) return;
  Fields inner(*lease, "lease.");
  LeaseTerms read;
  std::size_t word = 0;
  inner.word("holder", {"process", "connection"}, word);
  read.by_connection = word == 1;
  inner.number("pid", read.pid, 0, std::numeric_limits<int>::max());
  inner.number("pid_started", read.pid_started, 0, std::numeric_limits<std::int64_t>::max());
  inner.text("application", read.application);
  inner.text("program", read.program);
  word = 0;
  inner.word("placement", {"default", "round-robin"}, word);
  read.by_turns = word == 1;
  inner.close();
  fields.merge_fault(inner);
  terms = std::make_shared<LeaseTerms>(std::move(read));
}

}  // namespace gpusched
