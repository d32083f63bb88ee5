import { randomBytes } from 'node:crypto'
import type { Merchant } from '#testing'

/** An EVM address that is nobody's. */
export const someWallet = (): string => `0x${randomBytes(20).toString('hex')}`

/** A route as merchants make one: USDC on Ethereum to a wallet of its own on Base. */
export const newRouteBody = (given: Record<string, unknown> = {}) => ({
  name: 'Treasury',
  originChainKey: 'ethereum',
  destinationChainKey: 'base',
  destinationCurrency: 'USDC',
  destinationAddress: someWallet(),
  ...given,
})

/** Makes a route and returns it as its reply shows it. */
export async function newRoute(merchant: Merchant, given: Record<string, unknown> = {}) {
  const made = await merchant.call('POST /v1/payment-routes', { body: newRouteBody(given) })
  if (made.status !== 201) throw new Error(`${made.status} ${made.text}`)
  return made.body.data as { id: string; depositAddress: string; destinationAddress: string; status: string }
}

/** A payer's transfer arrives in the sandbox. */
export async function pay(merchant: Merchant, routeId: string, amount: string, outcome = 'completed'): Promise<string> {
  const paid = await merchant.call(`POST /v1/sandbox/payment-routes/${routeId}/deposits`, { body: { amount, outcome } })
  if (paid.status !== 201) throw new Error(`${paid.status} ${paid.text}`)
  return paid.body.data.relayRequestId
}

/** `POST …/deposits/sync`, as the merchant sees it. */
export const sync = (merchant: Merchant, routeId: string) =>
  merchant.call(`POST /v1/payment-routes/${routeId}/deposits/sync`)

/** The sandbox clock goes on. */
export const advance = (merchant: Merchant, seconds: number) =>
  merchant.call('POST /v1/sandbox/advance', { body: { seconds } })
