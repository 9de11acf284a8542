# SPDX-License-Identifier: Apache-2.0
# Completion of t3sim. bash: source this file, or install the program. zsh:
#   autoload -U bashcompinit && bashcompinit && source t3sim.bash
# Everything it offers comes from the program itself (t3sim complete).

_t3sim() {
  local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]}
  # bash splits words at "=" and ":", the program does not.
  local line=${COMP_LINE:0:COMP_POINT}
  local whole=${line##* } value option
  local -a words
  read -ra words <<< "${line%"$whole"}"
  local -a asked=("${words[@]:1:1}")
  value=$whole option=${words[-1]}
  if [[ $whole == --*=* ]]; then
    option=${whole%%=*} value=${whole#*=}
  fi
  ((${#words[@]} > 1)) && asked+=("$option")
  if [[ $option == --set || $option == --sweep ]] && [[ $value == *=* ]]; then
    asked+=("${value%%=*}") value=${value#*=}
  fi
  value=${value##*,}  # the last of a list
  local lead=${whole%"$value"}
  [[ $word == [=:] ]] && word=
  local cut=${whole%"$word"} candidate
  COMPREPLY=()
  while read -r candidate; do
    if [[ $candidate == "<files>" ]]; then
      compopt -o default 2>/dev/null
    elif [[ $candidate == "$value"* ]]; then
      candidate=$lead$candidate
      COMPREPLY+=("${candidate#"$cut"}")
    fi
  done < <("$program" complete -- "${asked[@]}" 2>/dev/null)
  # Behind these something follows.
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace 2>/dev/null
}

complete -F _t3sim t3sim
