import { bind, type ServiceError, system } from '@payments/kernel'
import { queryContext } from '@payments/platform'
import { expect, test } from 'vitest'
import { newMerchant, type TestService, useService } from '#testing'
import { type AcceptedOnramp, type FiatProvider, fiatProvider, type NewOnrampOrder } from '../provider/provider.ts'
import { sandboxFiat } from '../provider/sandbox.ts'
import { accountOf, prepareBankTransfer } from './hidden-onramps.ts'

/** What the provider answers to a new onramp, by what it would answer. */
let answer = (accepted: AcceptedOnramp): AcceptedOnramp => accepted
const orders: NewOnrampOrder[] = []
const provider = new Proxy({} as FiatProvider, {
  get(_, name: keyof FiatProvider) {
    // Asked for before the service runs.
    if (name === 'name') return 'sandbox'
    const own = sandboxFiat(service.runtime.pool)
    if (name !== 'createOnramp') return own[name]
    return async (order: NewOnrampOrder) => {
      orders.push(order)
      return answer(await own.createOnramp(order))
    }
  },
})
const service: TestService = useService({ live: [bind(fiatProvider, 'test', provider)] })

async function prepare(output: bigint) {
  const { organisationId } = await newMerchant(service)
  return prepareBankTransfer(queryContext(service.runtime, system(organisationId, 'test')), {
    amount: { output },
    currency: 'NGN',
    asset: 'USDC',
    networkKey: 'base',
    address: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
    customerId: null,
    refundBankAccount: null,
  })
}
const failure = (output: bigint) => prepare(output).then(undefined, (error: ServiceError) => error)

test('a delivery is ordered once, and its account asks for what the provider said', async () => {
  orders.length = 0
  const prepared = await prepare(25_000_000n)
  expect(orders.map(({ amount }) => amount)).toEqual([{ output: 25_000_000n }])
  const { amount } = accountOf(prepared)
  expect([amount, prepared.onramp.plan.amount]).toEqual([3_970_478n, 3_970_478n])
  expect(prepared.onramp.accepted.convertedAmount >= 25_000_000n).toBe(true)
})

test('an order that delivers less than it is for is a failure of the provider: no payer is given its account', async () => {
  answer = (accepted) => ({ ...accepted, convertedAmount: 24_999_999n })
  expect(await failure(25_000_000n)).toMatchObject({ code: 'fiat_provider_failed', status: 502 })
  answer = (accepted) => accepted
})

test.each([
  [310_000n, { amount: 'Must be at least 500 NGN' }],
  [1_265_623_000_000n, { amount: 'Must be at most 2000000000 NGN' }],
])(
  'a delivery of %s is refused by the limits at the listed rate, before anything is ordered',
  async (output, fields) => {
    orders.length = 0
    expect(await failure(output)).toMatchObject({ status: 422, fields })
    expect(orders).toEqual([])
  },
)
