/** The command line with everything that `effect/cli` brings and needs. */
import * as NodeServices from "@effect/platform-node/NodeServices"

export { main } from "../cli/app.ts"

export const services = NodeServices.layer
