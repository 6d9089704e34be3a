// GET /metrics
#include <string>

#include "api/metric_families.h"
#include "api/routes/routes.h"
#include "metrics/accept.h"

namespace gpusched {
namespace {

using metrics::Tells;

// Where others are hidden, nobody is named; where they are not even counted, only the machine is
// left.
Tells most_told(const Veil& veil) {
  if (!veil.covers()) return Tells::kNames;
  return veil.shows_counts() ? Tells::kCounts : Tells::kMachine;
}

}  // namespace

void get_metrics(Context& context, Call call) {
  const auto accept = call.request.headers.find("accept");
  const metrics::Format format = metrics::wanted_format(
      accept == call.request.headers.end() ? std::string_view() : accept->second);
  const Veil veil(context, call.actor);
  const Tells most = most_told(veil);
  metrics::Exposition out(format);
  write_card_families(context, veil, out);
  if (most >= Tells::kCounts) write_queue_families(context, out);
  if (most >= Tells::kNames) write_tenant_families(context, out);
  for (const metrics::Source& source : context.ports.metrics) {
    if (source.tells <= most) source.write(out);
  }
  HttpResponse response;
  response.content_type = metrics::content_type_of(format);
  response.headers.emplace_back("Vary", "Accept");
  response.body = out.take();
  call.responder.send(std::move(response));
}

}  // namespace gpusched
