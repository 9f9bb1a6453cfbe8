/** The script for fish. */
import * as Tree from "./tree.ts"

const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, "\\$&")}'`
const patterns = (keys: ReadonlyArray<string>): string => keys.map(quoted).join(" ")

const offers = (name: string, value: Tree.Value | undefined): string => {
  if (value === undefined) return ""
  if (value._tag === "words") return ` -x -a ${quoted(value.words.join(" "))}`
  return { directories: ` -x -a '(__${name}_directories)'`, files: " -r -F", text: " -x" }[value._tag]
}

const place = (name: string) => (place: Tree.Place): ReadonlyArray<string> => {
  const { commands, flags, operand, path, runs } = place
  const line = (rest: string, condition = `__${name}_at "${path}"`) => `complete -c ${name} -n '${condition}' ${rest}`
  const whenBare = (rest: string) => line(rest, `__${name}_at "${path}" bare`)
  const dashed = (form: string) => form.startsWith("--") ? `-l ${form.slice(2)}` : `-s ${form.slice(1)}`
  const bare = new Set(Tree.bare(place))
  return [
    ...commands.map(({ description, name }) => line(`-a ${name} -d ${quoted(description)}`)),
    ...flags.map(({ description, forms, value }) =>
      line(`${forms.map(dashed).join(" ")} -d ${quoted(description)}${offers(name, value)}`)
    ),
    ...flags.filter(({ forms }) => bare.has(forms[0])).map(({ description, forms }) =>
      whenBare(`-a '${forms[0]}' -d ${quoted(description)}`)
    ),
    ...operand._tag === "text" ? [] : [whenBare(offers(name, operand).trim())],
    ...runs ? [line(`-a '(__${name}_command)'`, `__${name}_at "${path} --"`)] : []
  ]
}

export const script = (name: string, places: ReadonlyArray<Tree.Place>): string =>
  `# Completions of ${name} for fish: ${name} --completions fish | source

# Whether the cursor is at that place: subcommands, and -- after them. With "bare", only where no flag has begun.
function __${name}_at
    if set -q argv[2]; and string match -q -- '-*' (commandline -ct)
        return 1
    end
    set -l at ''
    set -l valued no
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test "$word" = --
            set at "$at --"
            break
        else if test $valued = yes
            set valued no
        else
            switch "$at $word"
                case ${patterns(Tree.commandKeys(places))}
                    set at "$at $word"
                case ${patterns(Tree.valueKeys(places).flatMap(({ keys }) => keys))}
                    set valued yes
            end
        end
    end
    test "$at" = "$argv[1]"
end

function __${name}_directories
    __fish_complete_directories (string replace -r '^--[^=]*=' '' -- (commandline -ct))
end

# Completes the command line after --.
function __${name}_command
    set -l words (commandline -opc)
    set -e words[1..(contains -i -- -- $words)]
    complete -C (string join ' ' -- (string escape -- $words) (commandline -ct))
end

complete -c ${name} -e
complete -c ${name} -f
${places.flatMap(place(name)).join("\n")}`
