/** What the agents in the host's panes do, told by what they show. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AgentReports, AgentSense } from "../AgentState.ts"

/** The rules take as long to load as the rest of the host: it serves before it has them. */
const loaded = Effect.promise(() => import("../agent/AgentDetector.ts")).pipe(
  Effect.flatMap((AgentDetector) =>
    Effect.map(
      Effect.scoped(Layer.build(AgentDetector.layerHost(process.env))),
      Context.get(AgentDetector.AgentDetector)
    )
  ),
  Effect.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer))
)

/** The sense of the runtimes made within, and what takes reports for it; it loads itself meanwhile. */
export const sensing = Layer.effectContext(
  Effect.gen(function*() {
    const detector = yield* Effect.cached(loaded)
    yield* Effect.forkScoped(Effect.delay(detector, "100 millis"))
    return Context.make(AgentSense, (pane, screen) => Effect.flatMap(detector, ({ sense }) => sense(pane, screen)))
      .pipe(
        Context.add(AgentReports, {
          report: (report) => Effect.flatMap(detector, ({ reports }) => reports.report(report)),
          follow: (pane, heard) => Effect.flatMap(detector, ({ reports }) => reports.follow(pane, heard))
        })
      )
  })
)
