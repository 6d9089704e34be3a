// The table of routes and the way from a request to one of them: who asks, which API, is it
// allowed, are its parameters known; then one function per route. What a row says of bodies and
// answers is for docs/openapi.json (api/openapi.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "api/context.h"
#include "core/access/rights.h"
#include "wire/schema.h"

namespace gpusched {

enum class RouteKind {
  kRead,    // Shows jobs: waits for the commit under way.
  kPlain,   // Shows nothing that a commit could take back.
  kChange,  // Takes `dry_run`, which waits like a read.
};

// A body, of a request or an answer.
struct BodyShape {
  std::string_view type = {};  // Its content type; empty: there is none.
  // Writes its schema; null: text or bytes of another kind.
  void (*schema)(JsonWriter& json, wire::SchemaTexts& texts) = nullptr;
  std::string_view lines = {};  // The content type that it may have instead, line by line.
  bool needed = true;           // Of a request: it may not be left out.
};

struct Route {
  std::string_view method;
  std::string_view pattern;  // "/v1/jobs/{selector}/cancel"; what is in braces is one segment.
  RouteKind kind;
  Action needs;
  std::string_view query;  // Names it knows, separated by spaces.
  void (*run)(Context&, Call);
  std::string_view name;  // Of what it does, in one word.
  std::string_view what;  // The same for people.
  BodyShape gives;        // Without a type: 101, and what follows is not HTTP.
  BodyShape takes = {};
};

std::span<const Route> all_routes();
// Only a submission may be large: its body is taken apart on a thread of its own, all others on the
// loop, where everybody waits.
std::uint64_t body_most(std::string_view method, std::string_view target);
void dispatch(Context& context, HttpRequest request, const Responder& back);

// One function per route.
void get_openapi(Context& context, Call call);
void get_version(Context& context, Call call);
void get_metrics(Context& context, Call call);
void submit_jobs(Context& context, Call call);
void preview_jobs(Context& context, Call call);
void list_jobs(Context& context, Call call);
void show_jobs(Context& context, Call call);
void get_overview(Context& context, Call call);
void show_sweep(Context& context, Call call);
void explain_job(Context& context, Call call);
void get_trail(Context& context, Call call);
void get_log(Context& context, Call call);
void search_job_log(Context& context, Call call);
void open_terminal(Context& context, Call call);
void wait_for_jobs(Context& context, Call call);
void cancel_jobs(Context& context, Call call);
void hold_jobs(Context& context, Call call);
void pause_jobs(Context& context, Call call);
void resume_jobs(Context& context, Call call);
void adopt_process(Context& context, Call call);
void disown_jobs(Context& context, Call call);
void release_jobs(Context& context, Call call);
void requeue_jobs(Context& context, Call call);
void set_jobs(Context& context, Call call);
void stream_events(Context& context, Call call);
void get_report(Context& context, Call call);
void ask_what_if(Context& context, Call call);
void list_groups(Context& context, Call call);
void set_group(Context& context, Call call);
void remove_group(Context& context, Call call);
void list_tenants(Context& context, Call call);
void show_tenant(Context& context, Call call);
void replace_tenant(Context& context, Call call);
void set_tenant(Context& context, Call call);
void unset_tenant(Context& context, Call call);
void list_gpus(Context& context, Call call);
void get_card_history(Context& context, Call call);
void get_job_history(Context& context, Call call);
void drain_gpu(Context& context, Call call);
void undrain_gpu(Context& context, Call call);
void list_reservations(Context& context, Call call);
void list_alarms(Context& context, Call call);
void make_silence(Context& context, Call call);
void end_silence(Context& context, Call call);
void test_alarms(Context& context, Call call);
void make_reservation(Context& context, Call call);
void remove_reservation(Context& context, Call call);
void ask_lease(Context& context, Call call);
void list_leases(Context& context, Call call);
void follow_leases(Context& context, Call call);
void reset_leases(Context& context, Call call);
void show_lease(Context& context, Call call);
void release_lease(Context& context, Call call);
void hold_lease(Context& context, Call call);
void renew_lease(Context& context, Call call);
void resume_lease(Context& context, Call call);
void list_tokens(Context& context, Call call);
void make_token(Context& context, Call call);
void revoke_token(Context& context, Call call);
void log_in(Context& context, Call call);
void log_out(Context& context, Call call);
void get_whoami(Context& context, Call call);
void get_audit(Context& context, Call call);
void get_moment(Context& context, Call call);
void get_timeline(Context& context, Call call);
void get_outbox(Context& context, Call call);
void get_snapshot(Context& context, Call call);
void get_backup(Context& context, Call call);
void get_config(Context& context, Call call);
void get_settings(Context& context, Call call);
void reload_config(Context& context, Call call);
void set_log_level_route(Context& context, Call call);

}  // namespace gpusched
