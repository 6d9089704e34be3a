// What a command runs, without what it is told: `python train.py` of
// `nice python -u train.py --out_dir=/x/n0`. Runs of one script are much alike whatever their
// arguments are, so this is how a job is recognised when its signature is new
// (core/model/signature.h). A guess by the words alone, never by looking at files. In doubt one
// program is taken for two, which costs learning, rather than two for one, which costs memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpusched {

// A script that is not named by its whole path is one of the directory: a `train.py` of another
// project is another program. Inline code is named by its hash, so nothing of it is kept.
std::string program_of_command(const std::vector<std::string>& words, std::string_view directory);
// The same of a line for a shell: of all its commands that do work.
std::string program_of_line(std::string_view line, std::string_view directory);

// "python train.py" of "python /home/a/train.py": for people, and where the place concerns nobody.
std::string program_without_places(std::string_view program);

}  // namespace gpusched
