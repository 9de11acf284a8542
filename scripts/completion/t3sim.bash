# SPDX-License-Identifier: Apache-2.0
# Completion of t3sim. bash: source this file, or install the program. zsh:
#   autoload -U bashcompinit && bashcompinit && source t3sim.bash
# Everything it offers comes from the program itself (t3sim complete).

_t3sim() {
  local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]}
  # bash splits words at "=" and ":", the program does not.
  local line=${COMP_LINE:0:COMP_POINT}
  local whole=${line##* }
  local before=${line%"$whole"}
  before=${before%"${before##*[! ]}"}  # without blanks at its end
  local command= option= key= value=$whole
  if [[ $before == *\ * ]]; then
    command=${before#* } option=${before##* }
    command=${command%% *}
  fi
  if [[ $whole == --*=* ]]; then
    option=${whole%%=*} value=${whole#*=}
  fi
  if [[ ($option == --set || $option == --sweep) && $value == *=* ]]; then
    key=${value%%=*} value=${value#*=}
  fi
  value=${value##*,}  # the last of a list
  local lead=${whole%"$value"} cut=$whole candidate
  [[ $word == [=:] ]] || cut=${whole%"$word"}
  COMPREPLY=()
  while read -r candidate; do
    if [[ $candidate == "<files>" ]]; then
      compopt -o default 2>/dev/null
    elif [[ -n $candidate && $candidate == "$value"* ]]; then
      candidate=$lead$candidate
      COMPREPLY+=("${candidate#"$cut"}")
    fi
  done <<< "$("$program" complete -- ${command:+"$command"} ${option:+"$option"} ${key:+"$key"} 2>/dev/null)"
  # Behind these something follows.
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace 2>/dev/null
}

complete -F _t3sim t3sim
