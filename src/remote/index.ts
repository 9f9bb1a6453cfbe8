/**
 * Runtimes for other processes: the procedures of the contract, and a server of them.
 *
 * @since 0.1.0
 */
export * as Host from "./Host.ts"
export * as HostRpcs from "./HostRpcs.ts"
export * as Server from "./Server.ts"
export * as TerminalRpcs from "./TerminalRpcs.ts"
export * as ViewRpcs from "./ViewRpcs.ts"
