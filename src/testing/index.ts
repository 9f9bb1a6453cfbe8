/**
 * The test kit: the contract as a suite for any adapter, and the recorder that it puts in front of one.
 *
 * @since 0.1.0
 */
export * as Recorder from "./Recorder.ts"
export * as RuntimeContract from "./RuntimeContract.ts"
