// The table of all routes.
#include <array>

#include "api/routes/routes.h"
#include "wire/lease.h"
#include "wire/message_schema.h"
#include "wire/messages/alarm.h"
#include "wire/messages/audit.h"
#include "wire/messages/card.h"
#include "wire/messages/jobs.h"
#include "wire/messages/lease.h"
#include "wire/messages/log.h"
#include "wire/messages/login.h"
#include "wire/messages/machine.h"
#include "wire/messages/moment.h"
#include "wire/messages/outbox.h"
#include "wire/messages/report.h"
#include "wire/messages/settings.h"
#include "wire/messages/tenant.h"
#include "wire/messages/timeline.h"
#include "wire/messages/token.h"
#include "wire/messages/what_if.h"

namespace gpusched {
namespace {

#define GPUSCHED_FILTERS "state user group name tag array mine since"
#define GPUSCHED_PAGES "limit sort cursor fields "

using wire::SchemaTexts;
using wire::Side;

constexpr RouteKind kRead = RouteKind::kRead;
constexpr RouteKind kPlain = RouteKind::kPlain;
constexpr RouteKind kChange = RouteKind::kChange;
constexpr Action kSee = Action::kSee;
constexpr Action kAct = Action::kAct;
constexpr Action kOperate = Action::kOperate;
constexpr Action kSeeOutbox = Action::kSeeOutbox;
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kNdjson = "application/x-ndjson";

// One of several messages.
template <Side kSide, class... Messages>
void schema_of(JsonWriter& json, SchemaTexts& texts) {
  if constexpr (sizeof...(Messages) == 1) {
    (wire::refer<Messages>(json, texts, kSide), ...);
  } else {
    json.begin_object().key("anyOf").begin_array();
    (wire::refer<Messages>(json, texts, kSide), ...);
    json.end_array().end_object();
  }
}
template <class... Messages>
constexpr BodyShape gives() {
  return {.type = kJson, .schema = schema_of<Side::kAnswer, Messages...>};
}
template <class Message>
constexpr BodyShape takes() {
  return {.type = kJson, .schema = schema_of<Side::kRequest, Message>};
}
template <class Message>
constexpr BodyShape may_take() {
  return {.type = kJson, .schema = schema_of<Side::kRequest, Message>, .needed = false};
}

// A schema that has a name, but is made in another way.
template <void (*kWrite)(JsonWriter&)>
void named(JsonWriter& json, SchemaTexts& texts, const char* name) {
  JsonWriter text(texts[name] = {});
  kWrite(text);
  wire::write_reference(json, name, false);
}
void submission(JsonWriter& json, SchemaTexts& texts) {
  named<wire::submit_schema>(json, texts, "SubmitRequest");
}
void patch(JsonWriter& json, SchemaTexts& texts) {
  named<wire::patch_schema>(json, texts, "PatchRequest");
}
void asked_rule(JsonWriter& json) { wire::tenant_rule_schema(json, Side::kRequest); }
void tenant_rule(JsonWriter& json, SchemaTexts& texts) {
  named<asked_rule>(json, texts, "TenantRequest");
}
void lease_question(JsonWriter& json, SchemaTexts& texts) {
  json.begin_object().key("anyOf").begin_array();
  wire::refer<wire::LeaseRequest>(json, texts, Side::kRequest);
  wire::ObjectSchema several(json, Side::kRequest);
  several.property("leases", true).begin_object().field("type", "array").field("minItems", 1);
  json.field("maxItems", kLeasesMost).key("items");
  wire::refer<wire::LeaseRequest>(json, texts, Side::kRequest);
  json.end_object();
  several.close();
  json.end_array().end_object();
}
// With `fields`: jobs with nothing but those.
template <class List>
void rows_or_parts(JsonWriter& json, SchemaTexts& texts) {
  json.begin_object().key("anyOf").begin_array();
  wire::ObjectSchema parts(json, Side::kAnswer);
  parts.property("schema", true);
  wire::write_schema(json, {.type = "integer"});
  parts.property("jobs", true).begin_object().field("type", "array").key("items");
  wire::write_schema(json, {.type = "object"});
  json.end_object();
  parts.property("next", false);
  wire::write_schema(json, {.type = "string"});
  parts.close();
  wire::refer<List>(json, texts, Side::kAnswer);
  json.end_array().end_object();
}
void any_object(JsonWriter& json, SchemaTexts&) { wire::write_schema(json, {.type = "object"}); }

constexpr BodyShape kAnyJson = {.type = kJson, .schema = any_object};
constexpr BodyShape kJobList = {.type = kJson, .schema = rows_or_parts<wire::JobList>};
constexpr BodyShape kJobDetails = {.type = kJson, .schema = rows_or_parts<wire::JobDetailsList>};
constexpr BodyShape kBytes = {.type = "application/octet-stream"};
constexpr BodyShape kUpgrade = {};
constexpr BodyShape kEventStream = {.type = "text/event-stream"};
constexpr BodyShape kYaml = {.type = "application/yaml"};
constexpr BodyShape kMetrics = {.type = "text/plain", .lines = "application/openmetrics-text"};
constexpr BodyShape kLines = {.type = kNdjson};
constexpr BodyShape kSubmission = {.type = kJson, .schema = submission, .lines = kNdjson};
constexpr BodyShape kPatch = {.type = kJson, .schema = patch};
constexpr BodyShape kTenantRule = {.type = kJson, .schema = tenant_rule};
constexpr BodyShape kLeaseQuestion = {.type = kJson, .schema = lease_question, .needed = false};
constexpr BodyShape kLeaseAnswer = {
    .type = kJson,
    .schema = schema_of<Side::kAnswer, wire::OneLease, wire::Leases>,
    .lines = kNdjson};
constexpr BodyShape kHeldLease = {
    .type = kJson, .schema = schema_of<Side::kAnswer, wire::ChangedJobs>, .lines = kNdjson};

constexpr auto kRoutes = std::to_array<Route>({
    {"GET", "/v1/version", kPlain, kSee, "", get_version, "get_version",
     "The daemon: version, place, problems", gives<wire::Version>()},
    {"GET", "/v1/openapi.json", kPlain, kSee, "", get_openapi, "get_openapi",
     "This description of the API", kAnyJson},
    {"GET", "/metrics", kRead, kSee, "", get_metrics, "get_metrics",
     "Figures for Prometheus, as its text or as OpenMetrics", kMetrics},
    {"POST", "/v1/jobs", kChange, kAct, "", submit_jobs, "submit_jobs",
     "Submit a job, an array or a sweep", gives<wire::SubmittedJobs>(), kSubmission},
    {"POST", "/v1/preview", kRead, kSee, "", preview_jobs, "preview_jobs",
     "What would become of a submission", gives<wire::Previewed>(), kSubmission},
    {"GET", "/v1/jobs", kRead, kSee, "ids newest sweeps " GPUSCHED_PAGES GPUSCHED_FILTERS,
     list_jobs, "list_jobs", "List jobs, by id unless told otherwise", kJobList},
    {"GET", "/v1/overview", kRead, kSee, "waiting sweeps", get_overview, "get_overview",
     "What runs, what waits in its order, counts, cards", gives<wire::Overview>()},
    {"GET", "/v1/sweeps/{id}", kRead, kSee, "", show_sweep, "show_sweep",
     "The sweep that a job belongs to, as one line", gives<wire::OneSweep>()},
    {"GET", "/v1/jobs/{selector}", kRead, kSee, GPUSCHED_PAGES GPUSCHED_FILTERS, show_jobs,
     "show_jobs", "Jobs with all details", kJobDetails},
    {"PATCH", "/v1/jobs/{selector}", kChange, kAct, GPUSCHED_FILTERS, set_jobs, "set_jobs",
     "Change jobs", gives<wire::ChangedJobs>(), kPatch},
    {"GET", "/v1/jobs/{selector}/explain", kRead, kSee, GPUSCHED_FILTERS, explain_job,
     "explain_job", "Why jobs wait, and until when",
     gives<wire::Explained, wire::ExplainedTogether>()},
    {"GET", "/v1/jobs/{selector}/events", kRead, kSee, "after limit cursor " GPUSCHED_FILTERS,
     get_trail, "get_trail", "What was decided about jobs, when and why", gives<wire::Trail>()},
    {"GET", "/v1/jobs/{id}/log", kRead, kSee, "attempt stream offset tail most follow", get_log,
     "get_log", "What a job wrote", kBytes},
    {"GET", "/v1/jobs/{id}/log/search", kRead, kSee, "attempt stream text from limit ignore_case",
     search_job_log, "search_log", "Where a text stands in what a job wrote",
     gives<wire::LogMatches>()},
    {"GET", "/v1/jobs/{id}/terminal", kRead, kAct, "attempt", open_terminal, "open_terminal",
     "The terminal of a job that runs; needs an upgrade of the connection", kUpgrade},
    {"GET", "/v1/jobs/{id}/history", kRead, kSee, "range points step", get_job_history,
     "get_job_history", "What a job's attempts used over time", gives<wire::JobHistory>()},
    {"GET", "/v1/jobs/{selector}/wait", kRead, kSee, "timeout_ms sweeps " GPUSCHED_FILTERS,
     wait_for_jobs, "wait_for_jobs", "Answer when all have ended, or after a time",
     gives<wire::Waited>()},
    {"POST", "/v1/jobs/{selector}/cancel", kChange, kAct, GPUSCHED_FILTERS, cancel_jobs,
     "cancel_jobs", "Cancel jobs", gives<wire::ChangedJobs>(), may_take<wire::CancelRequest>()},
    {"POST", "/v1/jobs/{selector}/hold", kChange, kAct, GPUSCHED_FILTERS, hold_jobs, "hold_jobs",
     "Hold jobs", gives<wire::ChangedJobs>(), may_take<wire::EmptyRequest>()},
    {"POST", "/v1/jobs/{selector}/release", kChange, kAct, GPUSCHED_FILTERS, release_jobs,
     "release_jobs", "Release held jobs", gives<wire::ChangedJobs>(),
     may_take<wire::EmptyRequest>()},
    {"POST", "/v1/jobs/{selector}/pause", kChange, kAct, GPUSCHED_FILTERS, pause_jobs, "pause_jobs",
     "Move jobs aside", gives<wire::ChangedJobs>(), may_take<wire::EmptyRequest>()},
    {"POST", "/v1/jobs/{selector}/resume", kChange, kAct, GPUSCHED_FILTERS, resume_jobs,
     "resume_jobs", "Bring jobs back", gives<wire::ChangedJobs>(), may_take<wire::EmptyRequest>()},
    {"POST", "/v1/adopt", kChange, kAct, "", adopt_process, "adopt_process",
     "A running process becomes a job", gives<wire::Adopted>(), takes<wire::AdoptRequest>()},
    {"POST", "/v1/jobs/{selector}/disown", kChange, kAct, GPUSCHED_FILTERS, disown_jobs,
     "disown_jobs", "Let adopted processes go", gives<wire::ChangedJobs>(),
     may_take<wire::EmptyRequest>()},
    {"POST", "/v1/jobs/{selector}/requeue", kChange, kAct, GPUSCHED_FILTERS, requeue_jobs,
     "requeue_jobs", "Run ended jobs once more", gives<wire::ChangedJobs>(),
     may_take<wire::EmptyRequest>()},
    {"GET", "/v1/events", kRead, kSee, "after jobs topics", stream_events, "stream_events",
     "Follow the rows of jobs, the cards and what somebody has to see to", kEventStream},
    {"GET", "/v1/report", kRead, kSee, "since until by format", get_report, "get_report",
     "What was done, by user, card, tenant, project, name, program or hour", gives<wire::Report>()},
    {"GET", "/v1/timeline", kRead, kSee, "from until card", get_timeline, "get_timeline",
     "What was on the cards, what is, and what is planned", gives<wire::Timeline>()},
    {"GET", "/v1/moment", kRead, kSee, "at job", get_moment, "get_moment",
     "What the machine looked like then, and why a job waited", gives<wire::Moment>()},
    {"POST", "/v1/whatif", kRead, kSee, "", ask_what_if, "ask_what_if",
     "What the machine's own past would have been with other cards or rules", gives<wire::WhatIf>(),
     may_take<wire::WhatIfRequest>()},
    {"GET", "/v1/groups", kRead, kSee, "", list_groups, "list_groups", "List groups",
     gives<wire::Groups>()},
    {"PUT", "/v1/groups/{name}", kChange, kAct, "", set_group, "set_group",
     "Make or change a group", gives<wire::Groups>(), takes<wire::GroupRequest>()},
    {"DELETE", "/v1/groups/{name}", kChange, kAct, "resume", remove_group, "remove_group",
     "Remove a group", gives<wire::Groups>()},
    {"GET", "/v1/tenants", kRead, kSee, "", list_tenants, "list_tenants", "List tenants",
     gives<wire::Tenants>()},
    {"GET", "/v1/tenants/{name}", kRead, kSee, "", show_tenant, "show_tenant", "One tenant",
     gives<wire::Tenants>()},
    {"PUT", "/v1/tenants/{name}", kChange, kAct, "", replace_tenant, "replace_tenant",
     "Replace what was set of a tenant at run time", gives<wire::Tenants>(), kTenantRule},
    {"PATCH", "/v1/tenants/{name}", kChange, kAct, "", set_tenant, "set_tenant",
     "Set fields of a tenant", gives<wire::Tenants>(), kTenantRule},
    {"DELETE", "/v1/tenants/{name}", kChange, kAct, "", unset_tenant, "unset_tenant",
     "Forget what was set of a tenant", gives<wire::Tenants>()},
    {"GET", "/v1/gpus", kRead, kSee, "", list_gpus, "list_gpus",
     "The cards, what is on them, the host", gives<wire::Gpus>()},
    {"GET", "/v1/gpus/history", kPlain, kSee, "range points step card", get_card_history,
     "get_card_history", "What cards did over time", gives<wire::CardHistory>()},
    {"POST", "/v1/gpus/{number}/drain", kChange, kAct, "", drain_gpu, "drain_gpu",
     "A card gets nothing new", gives<wire::Drained>(), may_take<wire::DrainRequest>()},
    {"POST", "/v1/gpus/{number}/undrain", kChange, kAct, "", undrain_gpu, "undrain_gpu",
     "A drained card is used again", gives<wire::Drained>()},
    {"GET", "/v1/reservations", kRead, kSee, "", list_reservations, "list_reservations",
     "List reservations by beginning", gives<wire::Reservations>()},
    {"POST", "/v1/reservations", kChange, kAct, "", make_reservation, "make_reservation",
     "Reserve cards", gives<wire::Reservations>(), takes<wire::ReserveRequest>()},
    {"DELETE", "/v1/reservations/{id}", kChange, kAct, "", remove_reservation, "remove_reservation",
     "Remove a reservation", gives<wire::Reservations>()},
    {"POST", "/v1/leases", kChange, kAct, "wait_ms", ask_lease, "ask_lease",
     "Ask for a lease, or for several as one", kLeaseAnswer, kLeaseQuestion},
    {"GET", "/v1/leases", kRead, kSee, "application mine caller", list_leases, "list_leases",
     "List leases that wait or are granted", gives<wire::Leases>()},
    {"GET", "/v1/leases/changes", kRead, kSee, "", follow_leases, "follow_leases",
     "Follow the leases of the asking process", kLines},
    {"DELETE", "/v1/leases", kChange, kAct, "application", reset_leases, "reset_leases",
     "End the leases of this user's applications of a name", gives<wire::ChangedJobs>()},
    {"GET", "/v1/leases/{id}", kRead, kSee, "wait_ms", show_lease, "show_lease",
     "One lease, perhaps once it is granted", gives<wire::OneLease>()},
    {"DELETE", "/v1/leases/{id}", kChange, kAct, "", release_lease, "release_lease",
     "Release a lease", gives<wire::OneLease, wire::ChangedJobs>()},
    {"POST", "/v1/leases/{id}/hold", kChange, kAct, "", hold_lease, "hold_lease",
     "This connection holds a lease", kHeldLease},
    {"POST", "/v1/leases/{id}/renew", kChange, kAct, "", renew_lease, "renew_lease",
     "A lease lives so long from now", gives<wire::OneLease, wire::ChangedJobs>(),
     takes<wire::RenewRequest>()},
    {"POST", "/v1/leases/{id}/resume", kChange, kAct, "wait_ms", resume_lease, "resume_lease",
     "Ask for the return of a lease that was moved aside",
     gives<wire::OneLease, wire::ChangedJobs>()},
    {"GET", "/v1/tokens", kRead, kSee, "", list_tokens, "list_tokens",
     "List one's tokens, without their secrets", gives<wire::Tokens>()},
    {"POST", "/v1/tokens", kChange, kSee, "", make_token, "make_token",
     "Make a token; its secret is in this answer alone", gives<wire::MadeToken>(),
     takes<wire::TokenRequest>()},
    {"DELETE", "/v1/tokens/{id}", kChange, kSee, "", revoke_token, "revoke_token", "Revoke a token",
     gives<wire::Tokens>()},
    {"GET", "/v1/whoami", kRead, kSee, "", get_whoami, "get_whoami",
     "Who one is, how that is proved, and what one may do", gives<wire::WhoAmI>()},
    {"POST", "/v1/login", kChange, kSee, "", log_in, "log_in",
     "Exchange a token for the cookie of a browser", gives<wire::WhoAmI>(),
     may_take<wire::LoginRequest>()},
    {"POST", "/v1/logout", kChange, kSee, "", log_out, "log_out",
     "End the login that the cookie stands for", gives<wire::LoggedOut>(),
     may_take<wire::EmptyRequest>()},
    {"GET", "/v1/audit", kPlain, kSee, "since until user operation result leases limit cursor",
     get_audit, "get_audit", "Who changed what, the newest first", gives<wire::Audit>()},
    {"GET", "/v1/outbox", kRead, kSeeOutbox, "", get_outbox, "get_outbox",
     "Which messages wait to be delivered, by receiver", gives<wire::Outbox>()},
    {"GET", "/v1/alarms", kRead, kSee, "", list_alarms, "list_alarms",
     "Alarms that are on, silences, and the rules in force", gives<wire::AlarmList>()},
    {"POST", "/v1/alarms/test", kChange, kAct, "", test_alarms, "test_alarms",
     "Send a test message to receivers", gives<wire::AlarmTested>(),
     may_take<wire::AlarmTestRequest>()},
    {"POST", "/v1/silences", kChange, kAct, "", make_silence, "make_silence",
     "Alarms that match are not told for a while", gives<wire::Silences>(),
     takes<wire::SilenceRequest>()},
    {"DELETE", "/v1/silences/{id}", kChange, kAct, "", end_silence, "end_silence", "End a silence",
     gives<wire::Silences>()},
    {"GET", "/v1/debug/snapshot", kRead, kOperate, "", get_snapshot, "get_snapshot",
     "What a decision sees now, for gpusched debug replay", kAnyJson},
    {"GET", "/v1/backup", kPlain, kOperate, "", get_backup, "get_backup",
     "A consistent copy of the store", kBytes},
    {"GET", "/v1/config", kPlain, kOperate, "", get_config, "get_config",
     "The configuration in force", kYaml},
    {"GET", "/v1/settings", kPlain, Action::kSeeSettings, "", get_settings, "get_settings",
     "Every setting: its value, its default, where it comes from", gives<wire::Settings>()},
    {"POST", "/v1/config/reload", kChange, kOperate, "", reload_config, "reload_config",
     "Read the configuration again", gives<wire::ConfigReloaded>()},
    {"PUT", "/v1/log-level", kChange, kOperate, "", set_log_level_route, "set_log_level",
     "Set the level of the log", gives<wire::LogLevelSet>(), takes<wire::LogLevelRequest>()},
});

}  // namespace

std::span<const Route> all_routes() { return kRoutes; }

}  // namespace gpusched
