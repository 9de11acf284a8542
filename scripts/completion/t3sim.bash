# SPDX-License-Identifier: Apache-2.0
# Completion of t3sim. bash: source this file, or install the program. zsh:
#   autoload -U bashcompinit && bashcompinit && source t3sim.bash
# Everything it offers comes from the program itself.

_t3sim() {
  local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  # bash splits words at "=".
  local whole=${COMP_LINE:0:COMP_POINT}
  whole=${whole##* }
  local candidates=
  if ((COMP_CWORD == 1)); then
    candidates=$("$program" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
  elif [[ $before == --preset || $before == --show ]]; then
    candidates=$("$program" presets | sed -n '/^Iterations/q; s/^  \([a-z0-9-]*\)  .*/\1/p')
  elif [[ $before == --workload ]]; then
    compopt -o default 2>/dev/null  # files, where no name matches
    candidates=$("$program" presets | sed -n '1,/^Iterations/d; s/^  \([a-z0-9-]*\)  .*/\1/p')
  elif [[ $before == --set || (${COMP_WORDS[1]} == explain && $word != -*) ]]; then
    candidates=$("$program" explain --keys)
    if [[ $before == --set ]]; then
      compopt -o nospace 2>/dev/null
      candidates=$(printf '%s\n' "$candidates" | sed 's/$/=/')
    fi
  elif [[ $whole == -* ]]; then
    candidates=$("$program" "${COMP_WORDS[1]}" --help 2>/dev/null |
      sed -n 's/^  \(-h \[ \)\{0,1\}\(--[a-z-]*\).*/\2/p')
  else
    compopt -o default 2>/dev/null
  fi
  COMPREPLY=($(compgen -W "$candidates" -- "$word"))
}

complete -F _t3sim t3sim
