// The completion scripts that `gpusched completion` prints. They are thin: every question goes to
// `gpusched __complete`, so that a script installed once knows all verbs of all later versions.
#pragma once

#include <string_view>

namespace gpusched::cli {

inline constexpr std::string_view kBashScript = R"SH(# bash completion for gpusched
_gpusched() {
  local IFS=$'\n' line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == ':files' ]]; then
      compopt -o default -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
    else
      COMPREPLY+=("${line%%$'\t'*}")
    fi
  done < <("${COMP_WORDS[0]}" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _gpusched gpusched
)SH";

inline constexpr std::string_view kZshScript = R"SH(#compdef gpusched
# zsh completion for gpusched
_gpusched() {
  local -a candidates
  local line
  for line in "${(@f)$("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == ':files' ]]; then
      _files
    elif [[ -n $line ]]; then
      candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    fi
  done
  (( ${#candidates} )) && _describe 'gpusched' candidates
}
if [[ $funcstack[1] == _gpusched ]]; then
  _gpusched "$@"
else
  compdef _gpusched gpusched
fi
)SH";

inline constexpr std::string_view kFishScript = R"SH(# fish completion for gpusched
function __gpusched_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] __complete -- $words[2..-1] 2>/dev/null)
    if test "$line" = ':files'
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c gpusched -f -a '(__gpusched_complete)'
)SH";

}  // namespace gpusched::cli
