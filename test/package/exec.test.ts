import { assert, describe, it } from "@effect/vitest"
import { exec } from "../../scripts/exec.ts"

const cwd = import.meta.dirname

describe("exec", () => {
  it("reports the exit code and both streams, and gives no input", async () => {
    const result = await exec("sh", ["-c", "cat; echo out; echo err >&2; exit 3"], { cwd, seconds: 10 })

    assert.deepStrictEqual(result, { code: 3, stdout: "out\n", stderr: "err\n", timedOut: false })
  })

  it("ends a program and its children, which hold the output open, at the deadline", async () => {
    const result = await exec("sh", ["-c", "sleep 60 & echo started; wait"], { cwd, seconds: 0.3 })

    assert.deepStrictEqual(result, { code: null, stdout: "started\n", stderr: "", timedOut: true })
  })

  it("rejects when the program does not exist", async () => {
    const error: unknown = await exec("paneway-no-such-program", [], { cwd, seconds: 10 }).catch((cause: unknown) =>
      cause
    )

    assert.instanceOf(error, Error)
    assert.include(error.message, "ENOENT")
  })
})
