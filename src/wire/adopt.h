// Adopted processes in JSON: the body of POST /v1/adopt, and which process a job is.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "core/model/job.h"
#include "json/json_fields.h"
#include "json/json_writer.h"

namespace gpusched {

struct AdoptBody {
  JobSpec spec;  // Without its process, command and directory: those are read from the process.
  int pid = 0;
  int priority = 50;
};
Result<AdoptBody> parse_adopt(std::string_view json, Seconds default_grace);

// "adopted":{…}
void write_adopted(JsonWriter& json, const AdoptedProcess& process);
void read_adopted(Fields& fields, std::shared_ptr<const AdoptedProcess>& process);

}  // namespace gpusched
