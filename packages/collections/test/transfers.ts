import { fiat } from '@payments/fiat'
import { type Merchant, newCollection, newMerchant, startSession, type TestService } from '#testing'

const [pollTask] = fiat.work?.tasks ?? []

/** A price of 15,000 NGN, payable by bank transfer and on the networks. */
export const priced = {
  amount: undefined,
  pricing: { currency: 'NGN', amount: '15000' },
  methods: ['onchain', 'bank_transfer'],
}

/** What a collection may ask for, in place of `priced`. */
export const asked: Readonly<
  Record<string, { amount?: string; pricing: { currency: string; amount: string } | undefined }>
> = {
  'a price in naira': { pricing: priced.pricing },
  'a price in dollars': { pricing: { currency: 'USD', amount: '25' } },
  'a price in euros': { pricing: { currency: 'EUR', amount: '20' } },
  'an amount of its own currency': { amount: '25', pricing: undefined },
}

/** A session whose payer transfers: without a network, unless one is given. */
export async function transferSession(service: TestService, given: Record<string, unknown> = {}) {
  const merchant = await newMerchant(service)
  const collection = await newCollection(merchant, { ...priced, ...given })
  const session = await startSession(service, collection.id, {
    method: 'bank_transfer',
    networkKey: undefined,
    currency: undefined,
  })
  return { merchant, collection, session }
}

/** Polls the orders of local fiat of a merchant once, in this process, and no others. */
export async function pollTransfers(service: TestService, { organisationId }: Merchant): Promise<void> {
  await service.runtime.pool.query(
    `update fiat_polls
        set next_poll_at = now() + case organisation_id when $1 then interval '-1 second' else interval '1 hour' end`,
    [organisationId],
  )
  const own = { ...service.runtime }
  await pollTask?.run(own)
  await pollTask?.stop?.(own)
}

/** What was transferred to a merchant is received, then ended by the sandbox, and both are applied. */
export async function settleTransfers(service: TestService, merchant: Merchant): Promise<void> {
  await pollTransfers(service, merchant)
  await service.runtime.pool.query("update sandbox_fiat_orders set received_at = received_at - interval '5 seconds'")
  await pollTransfers(service, merchant)
}

/** The payer transfers to the account of a session. */
export const transfer = (merchant: Merchant, id: string, given: Record<string, unknown> = {}) =>
  merchant.call(`POST /v1/sandbox/checkout-sessions/${id}/payments`, { body: { method: 'bank_transfer', ...given } })
