/**
 * What must not compile, and what must. The compiler checks this file; nothing runs it.
 */
import type { Service } from "../../src/Contract.ts"
import type { SendItem } from "../../src/Send.ts"
import type { PaneHandle, Window, WindowHandle } from "../../src/Target.ts"
import type { Failure } from "./orchestrator.ts"

/** A program sees exactly the failures of the operations that it calls. */
export const tags: Record<Failure["_tag"], true> = {
  RuntimeUnavailable: true,
  TargetNotFound: true,
  WindowConflict: true,
  SpawnFailed: true,
  Unsupported: true,
  SendRejected: true,
  SendFailed: true,
  NativeFailure: true,
  PaneEnded: true,
  InvalidRequest: true,
  WaitTimeout: true
}

export const operations = (
  runtime: Service,
  pane: PaneHandle,
  handle: WindowHandle,
  window: Window,
  preset: string | undefined
) => [
  // @ts-expect-error a window is not a pane
  runtime.closePane(handle),
  // @ts-expect-error a Window record is not a reference
  runtime.closeWindow(window),
  // @ts-expect-error a raw string is not a window name
  runtime.closeWindow("my window"),
  // @ts-expect-error windows do not exit
  runtime.waitLifecycle({ condition: "pane-exited", target: handle, timeout: "1 second" }),
  // @ts-expect-error a number has no unit
  runtime.waitOutput(pane, { pattern: "x", timeout: 30 }),
  // @ts-expect-error no states to wait for
  runtime.waitAgent(pane, { states: [], timeout: "1 second" }),
  runtime.ensureWindow({ name: "a", root: "/", preset })
]

// @ts-expect-error an item is a message or a key
export const both: SendItem = { message: "a", key: "Enter" }
/** Why `SendItem` has `never` keys: a plain union takes an item with both. */
export const plainUnion: { readonly message: string } | { readonly key: string } = { message: "a", key: "Enter" }
