/**
 * The composition root of the command line: gives it the calling process, the platform and the built-in runtimes, runs
 * it, and ends the process with its exit code.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Registry from "../../layers/Registry.ts"
import { Caller } from "../cli/Caller.ts"
import * as Direct from "../cli/direct.ts"
import { Host } from "../cli/Host.ts"
import * as RuntimeRegistry from "../RuntimeRegistry.ts"
import * as MainCaller from "./caller.ts"
import * as Hosting from "./hosting.ts"
import { version } from "./version.ts"

const interrupted = 130
const ends = { code: 0 }

/** What ends a program by default, as far as Node lets it be caught; SIGUSR1 would open Node's debugger. */
const endings = [
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
  "SIGQUIT",
  "SIGUSR1",
  "SIGUSR2",
  "SIGALRM",
  "SIGXCPU",
  "SIGVTALRM",
  "SIGIO",
  "SIGPWR",
  "SIGSYS"
] as const

const words = process.argv.slice(2)
const caller = MainCaller.make(words, (code) => {
  ends.code = code
})

/** Help, completions, wrong words, and the commands without a table. */
const full = Effect.gen(function*() {
  const { services, main } = yield* Effect.promise(() => import("./full.ts"))
  return yield* Effect.provide(main(version()), services)
})

const program = (Direct.main(words) ?? full).pipe(
  Effect.provideService(Caller, caller),
  Effect.provideService(RuntimeRegistry.Entries, Hosting.entries),
  Effect.provideService(Host, Hosting.control),
  Effect.provideService(RuntimeRegistry.Outside, Registry.outside({ env: process.env, version: version() })),
  Effect.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer))
)

const fiber = Effect.runFork(program)
// a program that only waits does not keep Node alive by itself
Effect.runFork(Effect.forever(Effect.sleep("12 hours")))
for (const signal of endings) {
  process.on(signal, () => Effect.runFork(Fiber.interrupt(fiber)))
}
fiber.addObserver((exit) => process.exit(exit._tag === "Failure" ? interrupted : exit.value ?? ends.code))
