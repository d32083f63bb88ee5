import { type Answer, call, type Merchant } from '../../src/index.ts'
import type { TestService } from '../service/service.ts'
import { sized } from '../size.ts'
import { someWallet } from './payment-routes.ts'

/** Payments of the long test with killed workers. */
export const CHECKOUT_PAYMENTS = Number(process.env.CHECKOUT_PAYMENTS ?? sized(96, 16))

/** The input of a typical link: 25 USDC on Base. */
export const newCollectionBody = (given: Record<string, unknown> = {}) => ({
  type: 'link',
  title: 'Consulting in January',
  amount: '25',
  currency: 'USDC',
  destinationChainKey: 'base',
  destinationAddress: someWallet(),
  ...given,
})

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
type Data = any

/** Creates a collection and returns the response's data. */
export async function newCollection(merchant: Merchant, given: Record<string, unknown> = {}): Promise<Data> {
  const made = await merchant.call('POST /v1/collections', { body: newCollectionBody(given) })
  if (made.status !== 201) throw new Error(`${made.status} ${made.text}`)
  return made.body.data
}

/** A payer's action on a pay route, without a credential. */
export const act = (service: Pick<TestService, 'url'>, id: string, body: Record<string, unknown>): Promise<Answer> =>
  call(service, `POST /v1/pay/${id}`, { body, key: null })

/** Starts a session that is paid with USDC on Ethereum, and returns it. */
export async function startSession(
  service: Pick<TestService, 'url'>,
  id: string,
  given: Record<string, unknown> = {},
): Promise<Data> {
  const started = await act(service, id, { action: 'start', networkKey: 'ethereum', currency: 'USDC', ...given })
  if (started.status !== 200) throw new Error(`${started.status} ${started.text}`)
  return started.body.data
}

/** What the payer sees. */
export const payPageOf = async (service: Pick<TestService, 'url'>, id: string): Promise<Data> =>
  (await call(service, `GET /v1/pay/${id}`)).body.data

/** The payer pays in the sandbox: what is missing, or another amount. */
export async function paySession(
  merchant: Merchant,
  id: string,
  given: { amount?: string; currency?: string; networkKey?: string; outcome?: string } = {},
): Promise<void> {
  const paid = await merchant.call(`POST /v1/sandbox/checkout-sessions/${id}/payments`, { body: given })
  if (paid.status !== 201) throw new Error(`${paid.status} ${paid.text}`)
}
