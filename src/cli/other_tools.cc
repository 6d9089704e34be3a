#include "cli/other_tools.h"

#include <algorithm>
#include <array>
#include <span>

namespace gpusched::cli {
namespace {

struct Word {
  std::string_view elsewhere, here;
};

constexpr std::array kVerbWords = {
    Word{"add", "submit"},
    Word{"attach", "logs -f"},
    Word{"clean", "status (ended jobs are forgotten by themselves)"},
    Word{"delete", "cancel"},
    Word{"edit", "set"},
    Word{"enqueue", "submit; release for a job that is held"},
    Word{"follow", "logs -f"},
    Word{"gbatch", "submit"},
    Word{"gcancel", "cancel"},
    Word{"gqueue", "status"},
    Word{"info", "show"},
    Word{"job", "show, submit or cancel"},
    Word{"kill", "cancel"},
    Word{"list", "status"},
    Word{"parallel", "group set NAME --limit N"},
    Word{"ps", "status"},
    Word{"queue", "status"},
    Word{"remove", "cancel"},
    Word{"restart", "requeue"},
    Word{"rm", "cancel"},
    Word{"salloc", "lease"},
    Word{"sbatch", "submit"},
    Word{"scancel", "cancel"},
    Word{"scontrol", "show, set, hold or release"},
    Word{"sinfo", "gpus"},
    Word{"squeue", "status"},
    Word{"srun", "run"},
    Word{"start", "release; resume for a job that is paused"},
    Word{"stash", "hold"},
    Word{"stop", "cancel; pause to let it go on later"},
    Word{"tail", "logs -f"},
    Word{"urgent", "set --priority urgent"},
};

constexpr std::array kFlagWords = {
    Word{"--dependency", "write --after 7, or --after 7:ok"},
    Word{"--gres", "write --gpus N"},
    Word{"--gpu-memory", "write --vram 8G"},
    Word{"--id", "write the job's number alone: 7"},
    Word{"--job", "write the job's number alone: 7"},
    Word{"--job-id", "write the job's number alone: 7"},
    Word{"--job-name", "write --name"},
    Word{"--jobId", "write the job's number alone: 7"},
    Word{"--jobid", "write the job's number alone: 7"},
    Word{"--label", "write --name or --tag"},
    Word{"--mem", "write --ram"},
    Word{"--partition", "one machine has no partitions; see --group and --priority"},
    Word{"--qos", "write --priority"},
    Word{"--working-directory", "write --cwd"},
    Word{"--wrap", "write --cmd"},
};

std::string_view look_up(std::span<const Word> words, std::string_view elsewhere) {
  const auto found = std::ranges::find(words, elsewhere, &Word::elsewhere);
  return found == words.end() ? std::string_view() : found->here;
}

}  // namespace

std::string_view verb_here(std::string_view elsewhere) { return look_up(kVerbWords, elsewhere); }
std::string_view flag_here(std::string_view elsewhere) { return look_up(kFlagWords, elsewhere); }

}  // namespace gpusched::cli
