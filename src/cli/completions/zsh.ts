/** The script for zsh. */
import * as Tree from "./tree.ts"

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const patterns = (keys: ReadonlyArray<string>): string => `(${keys.map(quoted).join("|")})`

const action = (value: Tree.Value): string => {
  if (value._tag === "words") return `(${value.words.join(" ")})`
  return { directories: "_directories", files: "_files", text: " " }[value._tag]
}

/** Flags with a value may come again, those without one not. */
const specs = ({ description, forms, value }: Tree.Flag): ReadonlyArray<string> => {
  const explained = `[${description.replaceAll(/[\\\]:]/g, "\\$&")}]`
  return forms.map((form) =>
    quoted(
      value === undefined
        ? `(${forms.join(" ")})${form}${explained}`
        : `*${form}${form.startsWith("--") ? "=" : ""}${explained}:value:${action(value)}`
    )
  )
}

const operands = ({ commands, operand, runs }: Tree.Place): ReadonlyArray<string> => {
  if (commands.length > 0) return [quoted("1:command:{_describe -t commands command subcommands}")]
  return operand._tag === "text" ? [] : [quoted(`${runs ? "1" : "*"}:argument:${action(operand)}`)]
}

const place = (place: Tree.Place): string =>
  `    (${quoted(place.path)})
      subcommands=(${
    place.commands.map(({ description, name }) => quoted(`${name}:${description}`)).join("\n        ")
  })
      _arguments -S ${[...place.flags.flatMap(specs), ...operands(place)].join(" \\\n        ")}
      ;;`

export const script = (name: string, places: ReadonlyArray<Tree.Place>): string =>
  `#compdef ${name}
# Completions of ${name} for zsh, after compinit: eval "$(${name} --completions zsh)"
# or as the file _${name} in a folder of fpath

_${name}() {
  local at= flag= word
  local -i i begin=1
  local -a subcommands

  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    if [[ $word == -- ]]; then
      case $at in
        ${patterns(places.filter(({ runs }) => runs).map(({ path }) => path))}
          shift i words
          (( CURRENT -= i ))
          _normal -p ${name}
          return
          ;;
      esac
      break
    elif [[ -n $flag ]]; then
      flag=
    else
      case "$at $word" in
        ${patterns(Tree.commandKeys(places))}
          at="$at $word"
          begin=i
          ;;
        ${patterns(Tree.valueKeys(places).flatMap(({ keys }) => keys))}
          flag=$word
          ;;
      esac
    fi
  done
  shift 'begin - 1' words
  (( CURRENT -= begin - 1 ))

  case $at in
${places.map(place).join("\n")}
  esac
}

if [[ $funcstack[1] == _${name} ]]; then
  _${name} "$@"
else
  compdef _${name} ${name}
fi`
