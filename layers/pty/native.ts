/**
 * The native half of `@lydell/node-pty`: fork a child on a new pseudo-terminal, resize it, name its foreground program.
 *
 * Reading, writing, the drain after exit and killing are Paneway's own (`process.ts`, `writeQueue.ts`, `reap.ts`): the
 * JavaScript half of node-pty 1.2.0-beta.15 destroys the master 200 ms after the exit whatever was read by then, and
 * retries a full queue in a spin.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { RuntimeUnavailable } from "../../src/RuntimeError.ts"

/** Arguments and results as node-pty 1.2.0-beta.15 has them. */
interface Native {
  readonly fork: (
    file: string,
    args: ReadonlyArray<string>,
    env: ReadonlyArray<string>,
    cwd: string,
    columns: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helperPath: string,
    onExit: (code: number, signal: number) => void
  ) => { readonly fd: number; readonly pid: number; readonly pty: string }
  readonly resize: (fd: number, columns: number, rows: number, pixelWidth: number, pixelHeight: number) => void
  readonly process: (fd: number, tty: string) => string | undefined
}

/** The loaded module and the helper that macOS forks through. */
export interface Loaded {
  readonly native: Native
  readonly helperPath: string
}

interface Machine {
  readonly platform: string
  readonly arch: string
}

/** What the native module is loaded for. */
export const Host = Context.Reference<Machine>("paneway/layers/pty/Host", {
  defaultValue: () => ({ platform: process.platform, arch: process.arch })
})

const unavailable = ({ arch, platform }: Machine, cause?: unknown) =>
  new RuntimeUnavailable({
    runtime: "pty",
    reason: platform === "win32" ? "unsupported-version" : "missing-program",
    detail: platform === "win32"
      ? "there is no embedded pty on Windows yet: run Paneway inside WSL, or choose another runtime with --runtime"
      : `no native pty for ${platform}-${arch}: reinstall without --omit=optional, on this machine and not copied from `
        + "another one (there is none for musl), or choose another runtime with --runtime",
    cause
  })

/** Fails with RuntimeUnavailable where the platform has no prebuilt module, or it was left out of the installation. */
export const load: Effect.Effect<Loaded, RuntimeUnavailable> = Effect.flatMap(Host, (host) =>
  host.platform === "win32"
    ? Effect.fail(unavailable(host))
    : Effect.try({
      try: (): Loaded => {
        const platform = `${host.platform}-${host.arch}`
        // resolved from node-pty's own place: strict installers do not hoist its platform packages
        const fromHere = createRequire(import.meta.url)
        const fromNodePty = createRequire(fromHere.resolve("@lydell/node-pty"))
        const entry = fromNodePty.resolve(`@lydell/node-pty-${platform}`)
        const prebuilds = join(dirname(entry), "..", "prebuilds", platform)
        const native: Native = fromHere(join(prebuilds, "pty.node"))
        return { native, helperPath: join(prebuilds, "spawn-helper") }
      },
      catch: (cause) => unavailable(host, cause)
    }))
