#include "wire/spec.h"

#include "json/json_writer.h"
#include "wire/adopt.h"
#include "wire/lease.h"
#include "wire/spec_fields.h"

namespace gpusched {

std::string spec_to_json(const JobSpec& spec) {
  std::string out;
  out.reserve(1024);
  JsonWriter json(out);
  json.begin_object();
  write_stored_fields(json, spec);
  if (spec.lease) write_lease_terms(json, *spec.lease);
  if (spec.adopted) write_adopted(json, *spec.adopted);
  json.end_object();
  return out;
}

Result<JobSpec> spec_from_json(std::string_view text) {
  Result<JsonValue> value = parse_json(text);
  if (!value) return failure(value.error());
  Fields fields(*value);
  JobSpec spec;
  read_spec_fields(fields, spec, SpecSource::kStore);
  read_lease_terms(fields, spec.lease);
  read_adopted(fields, spec.adopted);
  if (Result<void> read = fields.finish(); !read) return failure(read.error());
  return spec;
}

}  // namespace gpusched
