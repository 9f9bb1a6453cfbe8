/**
 * Writes docs/schemas: a JSON Schema for each object that the command line prints with `--json`. `--check`: changes
 * nothing, and fails when a file is not what src/cli/shapes.ts says.
 */
import * as Schema from "effect/Schema"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { shapes } from "../src/cli/shapes.ts"

const folder = "docs/schemas"
mkdirSync(folder, { recursive: true })

for (const [name, shape] of Object.entries(shapes)) {
  const { definitions, schema } = Schema.toJsonSchemaDocument(Schema.toCodecJson(shape))
  const document = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: name === "error" ? "a failure, on standard error" : `paneway ${name.replace("-", " ")} --json`,
    ...schema,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
  }
  const file = `${folder}/${name}.json`
  const text = `${JSON.stringify(document, undefined, 2)}\n`
  if (existsSync(file) && readFileSync(file, "utf8") === text) continue
  if (process.argv.includes("--check")) {
    console.error(`${file} is not what src/cli/shapes.ts says: npm run docs:schemas, and tell who reads it`)
    process.exitCode = 1
  } else writeFileSync(file, text)
}
