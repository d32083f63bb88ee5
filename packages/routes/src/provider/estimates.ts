import { toDecimal } from '@payments/kernel'

/** What a payment usually costs and takes. */
export interface Estimate {
  /** Fees of the networks, in US dollars as decimal text. */
  readonly fee: string
  /** From sending to arriving, in seconds. */
  readonly seconds: number
}

const CENTS = { symbol: 'USD', decimals: 2 }

/** What sending a token usually costs on a network, in US cents, and after how many seconds it counts as final enough to be passed on. */
const USUAL: Readonly<Record<string, { readonly cents: number; readonly seconds: number }>> = {
  ethereum: { cents: 60, seconds: 60 },
  base: { cents: 1, seconds: 10 },
  arbitrum: { cents: 2, seconds: 10 },
  optimism: { cents: 1, seconds: 10 },
  polygon: { cents: 1, seconds: 20 },
  solana: { cents: 1, seconds: 10 },
  tron: { cents: 200, seconds: 60 },
}
const UNKNOWN = { cents: 100, seconds: 60 }
/** On the network of origin nothing is delivered again. */
const NOTHING = { cents: 0, seconds: 0 }

/** By fee: a list of 200 links shows some thousand estimates. */
const feesOf = new Map<number, string>()

/**
 * What a payment from one network to another usually costs, sent and delivered, and takes: an order of networks and a help to choose, not a quote.
 * What is held for a payment is what the provider quotes when it starts.
 */
export function estimateOf(origin: string, destination: string): Estimate {
  const sent = USUAL[origin] ?? UNKNOWN
  const delivered = origin === destination ? NOTHING : (USUAL[destination] ?? UNKNOWN)
  const cents = sent.cents + delivered.cents
  const fee = feesOf.get(cents) ?? toDecimal(BigInt(cents), CENTS)
  feesOf.set(cents, fee)
  return { fee, seconds: sent.seconds + delivered.seconds }
}
