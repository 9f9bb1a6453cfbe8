/**
 * The shortest way of a command to the host and back, for scripts that call it often: no runtime, no schema, no config.
 *
 * It does a command only where nothing can make a difference: its words are well-formed and usual, the pane is one of
 * the host by its handle, no config file is there, and the host answers as it should. Otherwise it has done nothing, and
 * the whole program does the same with all its care. What it prints and exits with is the same, byte for byte.
 */
import type { Asked, End, Failure, Printed } from "./hot/asking.ts"
import { verbs as looks } from "./hot/looking.ts"
import { verbs as sends } from "./hot/sending.ts"
import { verbs as waits } from "./hot/waiting.ts"
import { watched } from "./hot/watched.ts"
import { configured, hostSocket } from "./surroundings.ts"
import { type Answer, isJson, open, protocolVersion, type Wire } from "./wire.ts"

/** A pane of the host at its usual place. */
const ofHost = /^pty:[^~]+~[0-9a-f]{10}$/

const verbs = [...sends, ...looks, ...waits]

const find = (all: ReadonlyArray<string>): Asked | undefined => {
  // what is not UTF-8 in an argument has become this
  if (all.some((word) => word.includes("\ufffd"))) return undefined
  const verb = verbs.find(({ path }) => path.every((word, at) => all[at] === word))
  const asked = verb?.read(all.slice(verb.path.length))
  return asked?.targets.every((target) => ofHost.test(target)) === true ? asked : undefined
}

const hello = { protocol: protocolVersion, version: "unknown" }

/** Milliseconds for the first answer: as the whole program has them, which does not wait for the same again. */
const deadline = 5000

const isAccepted = (greeted: Answer): boolean => {
  if (greeted._tag !== "done" || !isJson(greeted.value)) return false
  const { protocol, runtime } = greeted.value
  return protocol === protocolVersion && runtime === "pty"
}

const askHost = async (wire: Wire, { run, targets }: Asked): Promise<End | "silent"> => {
  const resolving = targets.map((text) => wire.ask("resolve", { text }))
  const greeted = await wire.ask("hello", hello, deadline)
  if (greeted._tag === "late") return "silent"
  return isAccepted(greeted) ? run(wire, await Promise.all(resolving)) : undefined
}

/** As a shell shows the death by SIGPIPE. */
const outputClosed = 141

/** As a shell shows the death by SIGINT. */
const interrupted = 130

/** As far as Node lets them be caught; SIGUSR1 would open Node's debugger. */
const endings = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const

const write = (stream: NodeJS.WriteStream, all: string): Promise<NodeJS.ErrnoException | undefined> =>
  all === "" ? Promise.resolve(undefined) : new Promise((resolve) => {
    stream.on("error", resolve)
    stream.write(all, (error) => resolve(error ?? undefined))
  })

const isClosed = ({ code }: NodeJS.ErrnoException): boolean =>
  code === "EPIPE" || code === "EIO" || code === "ERR_STREAM_DESTROYED"

const failures = () => import("./hotFailure.ts")

const print = async (words: ReadonlyArray<string>, { err = "", out }: Printed): Promise<number> => {
  await write(process.stderr, err)
  const error = await write(process.stdout, out)
  if (error === undefined) return 0
  return isClosed(error) ? outputClosed : (await failures()).unwritten(words, error.message)
}

const finish = async (
  words: ReadonlyArray<string>,
  path: string,
  end: Printed | Failure | "silent",
  { unanswered }: Asked
): Promise<number | undefined> => {
  if (end !== "silent") return "out" in end ? print(words, end) : (await failures()).told(words, end)
  const { silent, told } = await failures()
  const error = silent(path)
  return unanswered === undefined ? told(words, { _tag: "told", error }) : print(words, unanswered(error.message))
}

/** Returns where the whole program has to do the command; ends the process where it is done. */
export const answer = async (words: ReadonlyArray<string>): Promise<void> => {
  const asked = find(words)
  const socket = asked === undefined || configured() ? undefined : hostSocket()
  const wire = socket === undefined ? undefined : await open(socket)
  if (asked === undefined || socket === undefined || wire === undefined) return
  const interrupt = () => process.exit(interrupted)
  for (const signal of endings) process.on(signal, interrupt)
  const end = await watched(asked.title, askHost(wire, asked))
  wire.close()
  const code = end === undefined ? undefined : await finish(words, socket, end, asked)
  if (code !== undefined) process.exit(code)
  for (const signal of endings) process.off(signal, interrupt)
}
