/**
 * Writes docs/contract.md's table of the rules that the suite holds an adapter to, with the tests of each.
 * `--check`: changes nothing, and fails when the table is not what the suite has, or when a rule has no test.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { rules } from "../src/testing/runtimeContract/rules.ts"

const page = "docs/contract.md"
const folder = "src/testing/runtimeContract"
const begin = "<!-- rules: npm run docs:rules -->\n"
const end = "<!-- end of the rules -->"

/** Every call that registers a test: its rule and its statement. What a statement fills in is left out. */
const registered = readdirSync(folder).filter((file) => file.endsWith(".ts")).flatMap((file) =>
  [...readFileSync(`${folder}/${file}`, "utf8").matchAll(/\btest\(\s*"([\w-]+)",\s*(?:"([^"]+)"|`([^`]+)`)/g)]
    .map(([, rule = "", plain, template = ""]) => ({
      rule,
      statement: (plain ?? template).replaceAll(/\s*\(\$\{profile\}\)/g, ", in both profiles").replaceAll(
        /\$\{\w+\}/g,
        "…"
      )
    }))
)

const rows = Object.entries(rules).flatMap(([rule, text]) => {
  const statements = registered.filter((one) => one.rule === rule).map(({ statement }) => statement)
  if (statements.length === 0) {
    console.error(`${folder}/rules.ts: no test of the suite is of the rule ${rule}`)
    process.exitCode = 1
  }
  return statements.map((statement, index) => [index === 0 ? `\`${rule}\`: ${text}` : "", statement])
})
const table = [["rule", "test"], ["---", "---"], ...rows]
const widths = [0, 1].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
const lines = table.map((row) =>
  `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0, cell === "---" ? "-" : " ")).join(" | ")} |`
)

const now = readFileSync(page, "utf8")
const [head = "", rest = ""] = now.split(begin)
const [, tail = ""] = rest.split(end)
const wanted = `${head}${begin}\n${lines.join("\n")}\n\n${end}${tail}`

if (process.argv.includes("--check")) {
  if (wanted !== now) {
    console.error(`${page}: the table of rules is not what the suite has: npm run docs:rules`)
    process.exitCode = 1
  }
} else {
  writeFileSync(page, wanted)
}
