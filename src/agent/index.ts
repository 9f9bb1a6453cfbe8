/**
 * Coding agents: how to know them, and what they are doing.
 *
 * @since 0.1.0
 */
export * as AgentDetector from "./AgentDetector.ts"
export * as AgentProfile from "./AgentProfile.ts"
