// What `submit` and `run` ask for unless told otherwise: `gpusched.yaml` of a project, found
// upwards from the working directory, then the user's own submit.yaml. The keys are those of a job
// file, so that they can never mean anything else than their flags. A file counts only if the user
// or root owns it and not everybody may write to it: a directory that others can write to must not
// choose what one's jobs do.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/flags.h"
#include "os/locations.h"

namespace gpusched::cli {

struct DefaultsFile {
  std::string path;
  Arguments values;
};
struct Defaults {
  std::vector<DefaultsFile> files;       // The stronger first.
  std::vector<std::string> passed_over;  // Sentences: which was not read, and why.
};

struct DefaultsAsked {
  std::string working_directory;
  std::string own_file;  // Empty: there is none.
  unsigned uid = 0;
};
DefaultsAsked defaults_asked(std::string working_directory, const EnvironmentLookup& env);

Result<Defaults> find_defaults(const DefaultsAsked& asked, std::span<const FlagSection> sections);

// What they say of flags that are not given, the stronger file first. Variables add up. Who asks
// for no card (`--gpus 0`) gets no default that needs one. Returns what was taken.
std::vector<FlagValue> fill_from_defaults(Arguments& arguments, const Defaults& defaults);

}  // namespace gpusched::cli
