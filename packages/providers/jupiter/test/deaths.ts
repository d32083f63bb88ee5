import type { SwapsProvider } from '@payments/swaps'

const CALLS = [
  'deposits',
  'prepareSwap',
  'prepareRefund',
  'prepareClose',
  'send',
  'outcome',
] as const satisfies readonly (keyof SwapsProvider)[]
type Call = (typeof CALLS)[number]
export type Death = 'before' | 'after'

/** A provider during whose calls the process may die: what follows a call in the same process never happens. */
export function mortal(): { wrap(provider: SwapsProvider): SwapsProvider; dies: (call: Call) => Death | undefined } {
  const own = {
    dies: (_call: Call): Death | undefined => undefined,
    wrap(provider: SwapsProvider): SwapsProvider {
      const wrapped = CALLS.map((name) => [
        name,
        async (argument: never) => {
          const death = own.dies(name)
          if (death === 'before') throw new Error(`died before ${name}`)
          const result = await provider[name]?.(argument)
          if (death === 'after') throw new Error(`died after ${name}`)
          return result
        },
      ])
      return { ...provider, ...Object.fromEntries(wrapped) }
    },
  }
  return own
}
