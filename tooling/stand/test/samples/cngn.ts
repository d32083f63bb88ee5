import { expect } from 'vitest'
import { BVN, type Data, dataOf, type Merchant, samples } from '../../src/index.ts'
import { sized } from '../size.ts'
import { create } from './create.ts'

/** Requests of each of 16 clients in the test of interleavings: `CNGN_STEPS=60` makes it long. */
export const CNGN_STEPS = Number(process.env.CNGN_STEPS ?? sized(8, 4))
/** Operations of the long test of the live adapter: `CNGN_OPERATIONS=1000` makes it long. */
export const CNGN_OPERATIONS = Number(process.env.CNGN_OPERATIONS ?? sized(32, 16))
/** Repeats a run of that test with the seed that it printed. */
export const CNGN_SEED = Number(process.env.CNGN_SEED ?? Date.now() % 1_000_000)

/** A new customer; cNGN is not enabled. */
export const newCustomer = async (merchant: Merchant, given: Record<string, unknown> = {}): Promise<string> =>
  (await create(merchant, samples.customer, given)).id

/** A new customer for whom the worker of the service enables cNGN. */
export async function enabledByWorker(merchant: Merchant, given: Record<string, unknown> = {}): Promise<string> {
  const id = await newCustomer(merchant, given)
  await dataOf('enable', merchant.call(`POST /v1/cngn/customers/${id}/enable`, { body: { bvn: BVN } }))
  const status = async () => (await merchant.call(`GET /v1/customers/${id}`)).body.data.cngn.status
  await expect.poll(status, { timeout: 20_000, interval: 100 }).toBe('enabled')
  return id
}

const kinds = {
  payouts: samples.payout,
  withdrawals: samples.withdrawal,
  payins: samples.payin,
  deposits: samples.cngnDeposit,
  converts: samples.convert,
} as const

/** The inputs of typical objects. */
export const cngnBodies = {
  payouts: kinds.payouts.body(),
  withdrawals: kinds.withdrawals.body(),
  payins: kinds.payins.body(),
  deposits: kinds.deposits.body(),
  converts: kinds.converts.body(),
} as const

/** Creates an object and returns the response's data. */
export const newCngn = (
  merchant: Merchant,
  kind: keyof typeof kinds,
  customerId: string,
  given: Record<string, unknown> = {},
): Promise<Data> => create(merchant, kinds[kind], { customerId, ...given })

/** Naira arrive in the account of a customer. */
export async function bankTransfer(merchant: Merchant, customerId: string, amount: string): Promise<void> {
  const line = `POST /v1/sandbox/cngn/customers/${customerId}/bank-transfers`
  await dataOf(line, merchant.call(line, { body: { amount } }))
}
