/**
 * Panes in other terminals: who looks at which, whose size it has, and what each of them is told next.
 *
 * A view asks for its next part when it has room for it. What comes meanwhile is kept within a bound; beyond that, and
 * wherever the bytes mean nothing for its terminal, it gets the screen as it is then.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import { randomBytes } from "node:crypto"
import type { Size } from "../../src/Contract.ts"
import type * as PaneLocks from "../../src/PaneLocks.ts"
import type { Options, Service, Update } from "../../src/PaneView.ts"
import { InvalidRequest, OperationRefused } from "../../src/RuntimeError.ts"
import type { HeldPane, Panes } from "./panes.ts"
import type { Mirror } from "./screenModel.ts"

/** Bytes that are kept for a view that takes none. */
const most = 512 * 1024
/** Bytes of one part. */
const largestPart = 64 * 1024
/** Milliseconds between two pictures for a terminal of another size. */
const pause = 40
/** Milliseconds that the last bytes of a program may take to be on the screen. */
const settling = 1000

const focusLost = Buffer.from("\x1b[O")

interface View {
  readonly id: string
  readonly pane: HeldPane
  readonly readOnly: boolean
  readonly from: string | undefined
  readonly terminal: Terminal
  readonly next: Effect.Effect<Update>
  /** It is told the whole screen next. */
  readonly anew: () => void
  readonly close: () => void
}

interface Terminal {
  size: Size
}

const same = (a: Size, b: Size): boolean => a.columns === b.columns && a.rows === b.rows

const follow = (pane: HeldPane, terminal: Terminal, panes: Panes): Pick<View, "next" | "anew" | "close"> => {
  const { ended, screen } = pane.process
  const changed = Latch.makeUnsafe()
  let pending: Array<Uint8Array> = []
  let bytes = 0
  /** What is kept does not follow what was told. */
  let stale = true
  let settled = false
  let drawn = -Infinity

  const forget = () => {
    pending = []
    bytes = 0
    stale = true
  }
  const isExact = () => same(terminal.size, pane.size)
  const mirror: Mirror = {
    output: (chunk) => {
      if (stale) return
      pending.push(chunk)
      bytes += chunk.length
      if (bytes > most || !isExact()) forget()
    },
    resized: forget
  }
  const wake = () => changed.openUnsafe()
  screen.mirrors.add(mirror)
  screen.wakes.add(wake)

  const isThere = () => panes.find(pane.handle.id) === pane
  const isOver = () => Deferred.isDoneUnsafe(ended) || !isThere()

  const drawing = Effect.fnUntraced(function*() {
    const now = yield* Clock.currentTimeMillis
    if (!isExact() && now < drawn + pause) yield* Effect.sleep(drawn + pause - now)
    drawn = yield* Clock.currentTimeMillis
    stale = false
    const image = screen.snapshot(isExact() ? undefined : terminal.size)
    return { _tag: "Screen", bytes: image, offset: screen.offset() } satisfies Update
  })
  const part = (): Update => {
    const parts: Array<Uint8Array> = []
    let size = 0
    while (size < largestPart) {
      const [first] = pending
      if (first === undefined) break
      const fits = first.subarray(0, largestPart - size)
      if (fits.length === first.length) pending.shift()
      else pending[0] = first.subarray(fits.length)
      parts.push(fits)
      size += fits.length
    }
    bytes -= size
    return { _tag: "Output", bytes: Buffer.concat(parts), offset: screen.offset() - bytes }
  }

  const next: Effect.Effect<Update> = Effect.gen(function*() {
    for (;;) {
      changed.closeUnsafe()
      if (isOver() && !settled) {
        if (isThere()) yield* Effect.timeoutOption(screen.flush, settling)
        settled = true
      }
      if (stale && isThere()) return yield* drawing()
      if (bytes > 0 && !stale) return part()
      if (settled) return { _tag: "Ended", exit: pane.cut ? undefined : pane.process.exit() } satisfies Update
      yield* changed.await
    }
  })
  return {
    next,
    anew: () => {
      forget()
      wake()
    },
    close: () => {
      screen.mirrors.delete(mirror)
      screen.wakes.delete(wake)
    }
  }
}

export interface Settings {
  readonly panes: Panes
  readonly locks: PaneLocks.PaneLocks["Service"]
  /** Milliseconds without progress after which what is typed is cut. */
  readonly stall: number
  readonly isSize: (size: Size) => boolean
  readonly resize: (pane: HeldPane, size: Size) => void
}

const noSize = new InvalidRequest({ operation: "view", field: "size", reason: "needs whole columns and rows" })

export const make = ({ isSize, locks, panes, resize, stall }: Settings): Service => {
  /** The one whose terminal gave its pane the size last is the last of its pane. */
  const views = new Map<string, View>()

  const need = (id: string) =>
    Effect.suspend(() => {
      const view = views.get(id)
      return view === undefined
        ? Effect.fail(new InvalidRequest({ operation: "view", field: "view", reason: "is not open" }))
        : Effect.succeed(view)
    })

  const ownerOf = (pane: HeldPane): View | undefined =>
    [...views.values()].findLast((view) => view.pane === pane && !view.readOnly)

  const fit = ({ pane, terminal: { size } }: View) => {
    if (!same(pane.size, size) && !pane.process.dead()) resize(pane, size)
  }
  const claim = (view: View) => {
    if (view.readOnly) return
    views.delete(view.id)
    views.set(view.id, view)
    fit(view)
  }

  /** Whether that pane shows another one, itself or by panes that it shows. */
  const shows = (pane: string, other: string, seen: ReadonlySet<string> = new Set()): boolean =>
    pane === other ||
    (!seen.has(pane) &&
      [...views.values()].some((view) =>
        view.from === pane && shows(`${view.pane.handle}`, other, new Set([...seen, pane]))
      ))

  const open = (pane: HeldPane, { from, readOnly, size }: Options): View => {
    const terminal = { size }
    const id = randomBytes(8).toString("hex")
    const view: View = { id, pane, readOnly, from, terminal, ...follow(pane, terminal, panes) }
    views.set(view.id, view)
    claim(view)
    return view
  }
  const close = (view: View) => {
    const owner = ownerOf(view.pane)
    view.close()
    views.delete(view.id)
    const heir = ownerOf(view.pane)
    if (owner === view && heir !== undefined) fit(heir)
  }

  const show: Service["show"] = (handle, options) =>
    Stream.unwrap(Effect.gen(function*() {
      if (!isSize(options.size)) return yield* noSize
      const pane = yield* panes.need(handle)
      if (options.from !== undefined && shows(`${handle}`, options.from)) {
        return yield* new OperationRefused({
          runtime: handle.runtime,
          operation: "attach",
          reason: "the pane would show itself: attach from a terminal that is not in it"
        })
      }
      const view = yield* Effect.acquireRelease(
        Effect.sync(() => open(pane, options)),
        (view) => Effect.sync(() => close(view))
      )
      const opened: Update = { _tag: "Opened", view: view.id }
      return Stream.concat(
        Stream.succeed(opened),
        Stream.takeUntil(Stream.fromEffectRepeat(view.next), ({ _tag }) => _tag === "Ended")
      )
    }))

  const write: Service["write"] = Effect.fnUntraced(function*(id, bytes) {
    const view = yield* need(id)
    const { handle, process } = view.pane
    if (view.readOnly) {
      return yield* new InvalidRequest({ operation: "view", field: "view", reason: "was opened to read only" })
    }
    if (Buffer.compare(bytes, focusLost) !== 0) claim(view)
    yield* Deferred.await(process.ready)
    view.pane.typed = true
    return yield* locks.withLock(`${handle}`)(
      Effect.uninterruptible(
        Effect.match(process.input.write(bytes, stall), {
          onFailure: ({ written }) => written,
          onSuccess: () => bytes.length
        })
      )
    )
  })

  return {
    show,
    write,
    resize: Effect.fnUntraced(function*(id, size) {
      const view = yield* need(id)
      if (!isSize(size)) return yield* noSize
      view.terminal.size = size
      view.anew()
      claim(view)
    })
  }
}
