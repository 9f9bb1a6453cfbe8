/** The script for bash; it needs no bash-completion and uses it where it is loaded. */
import * as Tree from "./tree.ts"

const quoted = (word: string): string => `'${word}'`
const patterns = (keys: ReadonlyArray<string>): string => keys.map(quoted).join("|")
const list = (words: ReadonlyArray<string>): string => quoted(words.join(" "))

const values = (name: string) => ({ keys, value }: ReturnType<typeof Tree.valueKeys>[number]): string => {
  const offers = {
    words: `_${name}_offer ${value._tag === "words" ? list(value.words) : ""} "$word" "$2"`,
    directories: "compopt +o bashdefault +o default -o dirnames 2> /dev/null",
    files: ":",
    text: "compopt +o bashdefault +o default 2> /dev/null"
  }
  return `    ${patterns(keys)}) ${offers[value._tag]} ;;`
}

const place = (name: string) => (place: Tree.Place): string => {
  const { flags, operand, path } = place
  const files = operand._tag === "files" || operand._tag === "directories"
  return `    ${quoted(path)})
      case $word in
        -*) _${name}_offer ${list(flags.flatMap(({ forms }) => forms))} "$word" "$2" ;;
        *) _${name}_offer ${list(Tree.bare(place))} "$word" "$2"${files ? " files" : ""} ;;
      esac
      ;;`
}

const afterDashes = (name: string) => ({ operand, path, runs }: Tree.Place): string => {
  if (runs) return `    ${quoted(path)}) _${name}_command "\${starts[dashes + 1]}" ;;`
  if (operand._tag === "words") return `    ${quoted(path)}) _${name}_offer ${list(operand.words)} "$word" "$2" ;;`
  return `    ${quoted(path)}) ${operand._tag === "text" ? `_${name}_offer "" "$word" "$2"` : ":"} ;;`
}

export const script = (name: string, places: ReadonlyArray<Tree.Place>): string =>
  `# Completions of ${name} for bash: eval "$(${name} --completions bash)"

# Offers those of the words $1 that begin with $2, and files only when told so. Bash replaces $3 alone, the end of $2.
_${name}_offer()
{
  local IFS=$' \\t\\n' before=\${2%"$3"} word
  [[ -n \${4-} ]] || compopt +o bashdefault +o default 2> /dev/null
  for word in $(compgen -W "$1" -- "$2"); do
    COMPREPLY+=("\${word#"$before"}")
  done
}

# Completes the command line that begins with the word number $1: as bash-completion does, else its name and files.
_${name}_command()
{
  if declare -F _comp_command_offset > /dev/null; then
    _comp_command_offset "$1"
  elif declare -F _command_offset > /dev/null; then
    _command_offset "$1"
  elif ((COMP_CWORD == $1)) && [[ \${COMP_WORDS[COMP_CWORD]} != */* ]]; then
    local IFS=$'\\n'
    COMPREPLY=($(compgen -c -- "\${COMP_WORDS[COMP_CWORD]}"))
  fi
}

_${name}()
{
  local at= flag= dashes= word i last words starts
  local line=\${COMP_LINE:0:COMP_POINT}
  COMPREPLY=()
  [[ \${COMP_WORDS[COMP_CWORD - 1]} == *[\\<\\>] ]] && return

  # Bash breaks words at = and : too; those with no blank between them are one.
  words=() starts=()
  line=\${line#*"\${COMP_WORDS[0]}"}
  for ((i = 1; i <= COMP_CWORD; i++)); do
    if ((i == 1)) || [[ $line == [[:blank:]]* ]]; then
      words+=('')
      starts+=("$i")
    fi
    line=\${line#"\${line%%[![:blank:]]*}"}
    word=\${COMP_WORDS[i]}
    ((i < COMP_CWORD)) || word=$line
    words[\${#words[@]} - 1]+=$word
    line=\${line#"$word"}
  done

  last=$((\${#words[@]} - 1))
  for ((i = 0; i < last; i++)); do
    word=\${words[i]}
    if [[ $word == -- ]]; then
      dashes=$i flag=
      break
    elif [[ -n $flag ]]; then
      flag=
    else
      case "$at $word" in
        ${patterns(Tree.commandKeys(places))}) at="$at $word" ;;
        ${patterns(Tree.valueKeys(places).flatMap(({ keys }) => keys))}) flag=$word ;;
      esac
    fi
  done

  word=\${words[last]}
  if [[ -n $dashes ]]; then
    case $at in
${places.map(afterDashes(name)).join("\n")}
    esac
    return
  fi
  if [[ -z $flag && $word == --*=* ]]; then
    flag=\${word%%=*} word=\${word#*=}
  fi
  if [[ -n $flag ]]; then
    case "$at $flag" in
${Tree.valueKeys(places).map(values(name)).join("\n")}
    esac
    return
  fi
  case $at in
${places.map(place(name)).join("\n")}
  esac
}

complete -o bashdefault -o default -F _${name} ${name}`
