/** What the scripted runtime supplies, as its options have it. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { Facts, Primitives } from "../../src/Contract.ts"
import { TargetNotFound } from "../../src/RuntimeError.ts"
import type * as Send from "../../src/Send.ts"
import type { Wakes } from "../../src/Waiting.ts"
import { EnvironmentSet, Focused, Remembered, Resized, SessionClosed } from "./entries.ts"
import type { Faults } from "./faults.ts"
import * as Grid from "./grid.ts"
import type { Optional, Settings } from "./settings.ts"
import type * as World from "./world.ts"
import * as Writing from "./writing.ts"

const said = { source: "agent-protocol", confidence: "certain" } as const
const nobodyKnows = { source: "none", confidence: "guess" } as const

/** Without the keys that are undefined. */
const defined = ({ prepared, preset, root }: Facts) => ({
  ...(root === undefined ? {} : { root }),
  ...(preset === undefined ? {} : { preset }),
  ...(prepared === undefined ? {} : { prepared })
})

export const make = ({ faults, open, settings, world }: {
  readonly settings: Settings
  readonly world: World.World
  readonly faults: Faults
  readonly open: Primitives["open"]
}): Primitives => {
  const { agents, delivery, exitCodes, marks, mixed, pastes, remembers, session, stall, wakeUps, without, wraps } =
    settings
  const { host, runtime, scope } = world.identity()
  const sendProfile = settings.profile
  const exact = marks === "exact"
  const profileOf = ({ running, traits }: World.HeldPane): Send.SendProfile =>
    mixed ? traits.profile ?? running.program()?.profile ?? sendProfile : sendProfile
  const writing = Writing.make({ world, faults, exact, agents, pastes, profileOf })

  const registered = (set: Set<Wakes>, on: Wakes) =>
    Effect.asVoid(Effect.acquireRelease(Effect.sync(() => set.add(on)), () => Effect.sync(() => set.delete(on))))

  const optional: { [Name in Optional]?: NonNullable<Primitives[Name]> } = {
    current: Effect.map(world.ask(), () => Option.fromUndefinedOr(world.state.current)),
    session: Effect.as(world.ask(), session),
    find: (id) =>
      Effect.map(
        world.ask(),
        () => Option.fromUndefinedOr(world.inventory().panes.find((pane) => pane.handle.id === id))
      ),
    focus: Effect.fnUntraced(function*(target) {
      const pane = target._tag === "PaneHandle"
        ? yield* world.need(target)
        : world.activeIn((yield* world.needWindow(target)).handle)
      world.log.push(new Focused({ target }))
      if (pane !== undefined) world.focus(pane)
    }),
    watchAll: (on) => Effect.andThen(world.ask(), registered(world.watchers, on)),
    output: (handle) => Stream.unwrap(Effect.map(world.need(handle), ({ output }) => output.stream)),
    resize: Effect.fnUntraced(function*(handle, wanted) {
      const pane = yield* world.need(handle)
      const { running } = pane
      if (running.exit() !== undefined) return yield* new TargetNotFound({ target: handle, reason: "absent" })
      world.log.push(new Resized({ target: handle, ...wanted }))
      running.grid.resize(wanted)
      world.wake(pane)
    }),
    closeSession: Effect.fnUntraced(function*(name) {
      yield* world.ask()
      const inside = [...world.panes.values()].filter(({ window }) => window.session === name)
      if (inside.length === 0) return
      world.log.push(new SessionClosed({ session: name }))
      inside.forEach(world.remove)
    }),
    leaveMode: writing.leaveMode,
    setEnvironment: Effect.fnUntraced(function*({ name, session: inSession, value }) {
      yield* world.ask()
      const plain = typeof value === "string" ? value : Redacted.value(value)
      world.state.variables.set(name, plain)
      world.log.push(
        new EnvironmentSet({
          name,
          value: typeof value === "string" ? value : "<redacted>",
          ...(inSession === undefined ? {} : { session: inSession })
        })
      )
      return { _tag: "Applied" }
    }),
    attach: () => Effect.as(world.ask(), { _tag: "Implicit" })
  }
  for (const one of without) delete optional[one]
  if (!wakeUps) delete optional.watchAll

  return {
    runtime,
    host,
    scope,
    sendProfile,
    inventory: Effect.map(world.ask(), world.inventory),
    open: (request) => Effect.uninterruptible(open(request)),
    close: Effect.fnUntraced(function*(target) {
      if (target._tag === "PaneHandle") return world.close(target, [yield* world.need(target)])
      yield* world.needWindow(target)
      world.close(target, world.in(target))
    }),
    write: writing.write,
    capture: Effect.fnUntraced(function*(handle, { join, range }) {
      world.state.looks += 1
      const raw = (yield* world.need(handle)).running.grid.read(range)
      const { ascents = [], cursor, origin, ...rest } = wraps === "flagged" ? raw : Grid.unflagged(raw, join)
      return exact && cursor !== undefined && origin !== undefined ? { ...rest, cursor, origin, ascents } : rest
    }),
    ...(delivery === "guarded" ? { deliver: writing.deliver } : {}),
    ...(mixed ?
      {
        profileOf: (handle) =>
          Effect.map(world.need(handle), (pane) => faults.find("StaleProfile", handle)?.as ?? profileOf(pane))
      } :
      {}),
    ...(agents
      ? {
        agent: (handle) =>
          Effect.map(world.need(handle), ({ running }) => ({
            ...running.agent(),
            ...(running.agent().state === "unknown" ? nobodyKnows : said)
          }))
      }
      : {}),
    ...(remembers
      ? {
        remember: Effect.fnUntraced(function*(target, facts) {
          const holder = yield* target._tag === "PaneHandle" ? world.need(target) : world.needWindow(target)
          holder.facts = { ...holder.facts, ...facts }
          world.log.push(new Remembered({ target, ...defined(facts) }))
        })
      }
      : {}),
    ...(wakeUps
      ? {
        watch: Effect.fnUntraced(function*(handle, on) {
          yield* registered((yield* world.need(handle)).watchers, on)
        })
      }
      : {}),
    ...optional,
    writeDeadline: stall,
    declared: {
      exitStatus: exitCodes ? "native" : "none",
      bracketedPaste: pastes ? "native" : "none",
      agentPrompt: sendProfile === "agent-aware" || mixed ? "native" : "none"
    }
  }
}
