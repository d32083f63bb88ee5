import { type FiatWorld, fiatAccounts } from '#testing'
import type { PaycrestOptions } from '../src/client.ts'
import { paycrest } from '../src/paycrest.ts'
import type { Kept } from './book.ts'
import { type Fake, type FakeOptions, startFake } from './fake.ts'

export { type Fault, SECRET } from './fake.ts'

export interface PaycrestServer extends FiatWorld, Fake {}

/** Where an order waits: for its end, or for ever. */
const rests = ({ status, outcome, amount }: Kept): boolean =>
  ['settled', 'refunded', 'refunding', 'expired'].includes(status) ||
  outcome === 'held' ||
  (status === 'fulfilled' && (outcome === 'unconfirmed' || outcome === 'refund_failed')) ||
  (status === 'deposited' && amount <= 0n) ||
  (status === 'cancelled' && outcome === 'cancelled')

/** The fake of Paycrest with the adapter that talks to it. */
export async function startPaycrest(
  options: Partial<PaycrestOptions> & Pick<FakeOptions, 'random' | 'tls'> = {},
): Promise<PaycrestServer> {
  const { tls, random, ...given } = options
  const fake = await startFake({
    tls,
    random,
    outcomes: { [fiatAccounts.refunded]: 'refunded', [fiatAccounts.returned]: 'returned' },
    missing: [fiatAccounts.refunded],
  })
  const paid = () => fake.orders.filter(({ received }) => received > 0n)
  return Object.assign(fake, {
    provider: paycrest({
      baseUrl: fake.url,
      apiKey: 'paycrest-key',
      apiSecret: 'paycrest-secret',
      requestsPerMinute: 600,
      maxOrder: 10_000,
      timeoutMs: 10_000,
      retryMs: 1,
      restMs: 50,
      ...given,
    }),
    // Tokens have six decimals here, fiat two.
    pay: async (reference: string, amount: bigint) =>
      fake.receive(reference, decimal(amount, fake.order(reference).direction === 'offramp' ? 6 : 2)),
    async settle() {
      if (paid().some(({ status }) => status === 'refunding')) return fake.step()
      for (let steps = 0; steps < 20 && paid().some((order) => !rests(order)); steps++) fake.step()
    },
    refuse: async (reference: string) => {
      fake.order(reference).outcome = 'refunded'
    },
    async expire() {
      for (const order of fake.orders)
        if (order.status === 'initiated' || (order.direction === 'onramp' && order.status === 'pending'))
          order.status = 'expired'
    },
  })
}

const decimal = (units: bigint, places: number): string => {
  const digits = units.toString().padStart(places + 1, '0')
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`
}
