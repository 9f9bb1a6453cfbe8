/** How a figure is taken: warmed up, variants in turn, the median of many samples. */
import * as Effect from "effect/Effect"

export const quantile = (samples: ReadonlyArray<number>, at: number): number => {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN
}

export const median = (samples: ReadonlyArray<number>): number => quantile(samples, 0.5)

export interface Variant {
  readonly name: string
  /** Runs the operation so many times in a row, in one fiber. */
  readonly times: (count: number) => Promise<void>
}

export const repeated = <E>(name: string, operation: Effect.Effect<unknown, E>): Variant => ({
  name,
  times: (count) =>
    Effect.runPromise(Effect.gen(function*() {
      for (let n = 0; n < count; n++) yield* operation
    }))
})

/**
 * Microseconds of one operation of each variant: the variants alternate within each round, so that a machine that gets
 * slower does so for all of them. `at` is the quantile of the rounds that is told. The median by default; a lower one
 * for what waits for nothing outside: there, all that makes a round slower is other work of the machine.
 */
export const interleaved = async (
  variants: ReadonlyArray<Variant>,
  { at = 0.5, count, rounds, warmUp }: {
    readonly count: number
    readonly rounds: number
    readonly warmUp: number
    readonly at?: number
  }
): Promise<ReadonlyMap<string, number>> => {
  const samples = new Map(variants.map(({ name }) => [name, new Array<number>()]))
  for (const variant of variants) await variant.times(warmUp)
  for (let round = 0; round < rounds; round++) {
    for (const variant of variants) {
      const begin = performance.now()
      await variant.times(count)
      samples.get(variant.name)?.push(((performance.now() - begin) * 1000) / count)
    }
  }
  return new Map(variants.map(({ name }) => [name, quantile(samples.get(name) ?? [], at)]))
}

/** Microseconds of an operation through the contract, and of what the adapter does for it, in a quiet round. */
export const beyond = <E, F>(
  through: Effect.Effect<unknown, E>,
  direct: Effect.Effect<unknown, F>,
  how: { readonly count: number; readonly warmUp: number }
): Effect.Effect<{ readonly all: number; readonly base: number }> =>
  Effect.promise(async () => {
    const variants = [repeated("contract", through), repeated("raw", direct)]
    const taken = await interleaved(variants, { ...how, rounds: 100, at: 0.1 })
    return { all: taken.get("contract") ?? Number.NaN, base: taken.get("raw") ?? Number.NaN }
  })
