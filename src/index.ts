/**
 * @since 0.1.0
 */
export * as AgentState from "./AgentState.ts"

/**
 * @since 0.1.0
 */
export * as Capabilities from "./Capabilities.ts"

/**
 * @since 0.1.0
 */
export * as Contract from "./Contract.ts"

/**
 * @since 0.1.0
 */
export * as Keys from "./Keys.ts"

/**
 * @since 0.1.0
 */
export * as Lifecycle from "./Lifecycle.ts"

/**
 * @since 0.1.0
 */
export * as PaneLocks from "./PaneLocks.ts"

/**
 * @since 0.1.0
 */
export * as PaneView from "./PaneView.ts"

/**
 * @since 0.1.0
 */
export * as Passthrough from "./Passthrough.ts"

/**
 * @since 0.1.0
 */
export * as Preset from "./Preset.ts"

/**
 * @since 0.1.0
 */
export * as ProcessIdentity from "./ProcessIdentity.ts"

/**
 * @since 0.1.0
 */
export * as RuntimeConfig from "./RuntimeConfig.ts"

/**
 * @since 0.1.0
 */
export * as RuntimeDetect from "./RuntimeDetect.ts"

/**
 * @since 0.1.0
 */
export * as RuntimeError from "./RuntimeError.ts"

/**
 * @since 0.1.0
 */
export * as RuntimeRegistry from "./RuntimeRegistry.ts"

/**
 * @since 0.1.0
 */
export * as Screen from "./Screen.ts"

/**
 * @since 0.1.0
 */
export * as Send from "./Send.ts"

/**
 * @since 0.1.0
 */
export * as Target from "./Target.ts"

/**
 * @since 0.1.0
 */
export * as TerminalPane from "./TerminalPane.ts"

/**
 * @since 0.1.0
 */
export * as TerminalRuntime from "./TerminalRuntime.ts"

/**
 * @since 0.1.0
 */
export * as Waiting from "./Waiting.ts"
