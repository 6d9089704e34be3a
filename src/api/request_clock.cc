#include "api/request_clock.h"

#include <chrono>
#include <utility>

namespace gpusched {

Responder counted(Context& context, const Responder& responder,
                  const std::shared_ptr<RouteTaken>& taken) {
  return responder.watched(
      [&context, taken, begun = context.now().boot](const HttpResponse& response) {
        if (std::exchange(taken->counted, true)) return;
        const std::chrono::duration<double> took = context.now().boot - begun;
        context.requests.answered(taken->pattern, taken->method,
                                  response.upgrade ? 101 : response.status, took.count());
      });
}

}  // namespace gpusched
