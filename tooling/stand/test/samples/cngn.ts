import { newId } from '@payments/kernel'
import { expect } from 'vitest'
import type { Merchant } from '../../src/index.ts'
import { sized } from '../size.ts'

/** Requests of each of 16 clients in the test of interleavings: `CNGN_STEPS=60` makes it long. */
export const CNGN_STEPS = Number(process.env.CNGN_STEPS ?? sized(8, 4))
/** Operations of the long test of the live adapter: `CNGN_OPERATIONS=1000` makes it long. */
export const CNGN_OPERATIONS = Number(process.env.CNGN_OPERATIONS ?? sized(32, 16))
/** Repeats a run of that test with the seed that it printed. */
export const CNGN_SEED = Number(process.env.CNGN_SEED ?? Date.now() % 1_000_000)

/** An ordinary BVN; the sandbox knows two that are not. */
export const BVN = '22212345678'

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
type Data = any

/** A new customer; cNGN is not enabled. */
export async function newCustomer(merchant: Merchant, given: Record<string, unknown> = {}): Promise<string> {
  const body = { name: 'Ada Obi', email: `${newId()}@example.com`, ...given }
  const made = await merchant.call('POST /v1/customers', { body })
  if (made.status !== 201) throw new Error(`${made.status} ${made.text}`)
  return made.body.data.id
}

/** A new customer for whom the worker of the service enables cNGN. */
export async function enabledByWorker(merchant: Merchant, given: Record<string, unknown> = {}): Promise<string> {
  const id = await newCustomer(merchant, given)
  const answer = await merchant.call(`POST /v1/cngn/customers/${id}/enable`, { body: { bvn: BVN } })
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  const status = async () => (await merchant.call(`GET /v1/customers/${id}`)).body.data.cngn.status
  await expect.poll(status, { timeout: 20_000, interval: 100 }).toBe('enabled')
  return id
}

/** The inputs of typical objects. */
export const cngnBodies = {
  payouts: { amount: '100', bankAccount: { accountNumber: '0123456789', bankCode: '058' } },
  withdrawals: { amount: '100', networkKey: 'base', address: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' },
  payins: { amount: '5000' },
  deposits: { networkKey: 'base' },
  converts: { amount: '100', fromCurrency: 'USDC', toCurrency: 'cNGN', networkKey: 'base' },
} as const

/** Creates an object and returns the response's data. */
export async function newCngn(
  merchant: Merchant,
  kind: keyof typeof cngnBodies,
  customerId: string,
  given: Record<string, unknown> = {},
): Promise<Data> {
  const body = { customerId, ...cngnBodies[kind], ...given }
  const made = await merchant.call(`POST /v1/cngn/${kind}`, { body })
  if (made.status !== 201) throw new Error(`${kind}: ${made.status} ${made.text}`)
  return made.body.data
}

/** Naira arrive in the account of a customer. */
export async function bankTransfer(merchant: Merchant, customerId: string, amount: string): Promise<void> {
  const line = `POST /v1/sandbox/cngn/customers/${customerId}/bank-transfers`
  const answer = await merchant.call(line, { body: { amount } })
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`)
}
