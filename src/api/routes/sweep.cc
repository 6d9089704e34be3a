// GET /v1/sweeps/{id}
#include <fmt/format.h>

#include <utility>

#include "api/answers.h"
#include "api/job_rows.h"
#include "api/routes/routes.h"
#include "json/json_writer.h"

namespace gpusched {

void show_sweep(Context& context, Call call) {
  Result<const Job*> job = selected_job(context, call);
  if (!job) return call.responder.fail(job.error());
  if (!(*job)->task) {
    return call.responder.fail(
        {ErrorCode::kConflict,
         fmt::format("job {} is not part of an array or sweep", number_of((*job)->id))});
  }
  const StateView& state = context.state();
  std::string out;
  JsonWriter json(out);
  RowWriter rows(context, call.actor);
  json.begin_object().field("schema", 1).key("sweep");
  rows.sweep(json, whole_sweep(state, (*job)->task->array));
  json.end_object();
  call.responder.send(json_response(std::move(out)));
}

}  // namespace gpusched
