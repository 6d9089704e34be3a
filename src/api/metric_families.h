// The figures of GET /metrics that other answers have, too: read by the same functions, so that
// both say the same.
#pragma once

#include "api/context.h"
#include "api/veil.h"
#include "metrics/exposition.h"

namespace gpusched {

// Cards and the host: what GET /v1/gpus says.
void write_card_families(const Context& context, const Veil& veil, metrics::Exposition& out);
// Jobs by state and by what they wait for, without whose they are; what is asked of the API.
void write_queue_families(const Context& context, metrics::Exposition& out);
// What GET /v1/tenants says of the tenants with most jobs and cards; of the others the sum.
void write_tenant_families(const Context& context, metrics::Exposition& out);

}  // namespace gpusched
