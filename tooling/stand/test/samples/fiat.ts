import type { Answer, Merchant } from '../../src/index.ts'
import { sized } from '../size.ts'

/** Orders of the long test of local fiat: `OFFRAMPS=1000 ONRAMPS=500` makes it long. */
export const OFFRAMPS = Number(process.env.OFFRAMPS ?? sized(24, 16))
export const ONRAMPS = Number(process.env.ONRAMPS ?? sized(16, 8))

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
type Data = any

/** The input of a typical offramp: USDC on Base to a Nigerian account. */
export const newOfframpBody = (given: Record<string, unknown> = {}) => ({
  amount: '25',
  sourceCurrency: 'USDC',
  destinationCurrency: 'NGN',
  bankAccount: { accountNumber: '0123456789', bankCode: '058' },
  ...given,
})

/** The input of a typical onramp. */
export const newOnrampBody = (given: Record<string, unknown> = {}) => ({
  amount: '50000',
  sourceCurrency: 'NGN',
  destinationCurrency: 'USDC',
  networkKey: 'base',
  destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
  ...given,
})

async function created(line: string, answer: Promise<Answer>): Promise<Data> {
  const { status, text, body } = await answer
  if (status !== 201) throw new Error(`${line}: ${status} ${text}`)
  return body.data
}

/** Creates an offramp and returns the response's data. */
export const newOfframp = (merchant: Merchant, given: Record<string, unknown> = {}): Promise<Data> =>
  created('POST /v1/offramps', merchant.call('POST /v1/offramps', { body: newOfframpBody(given) }))

/** Creates an onramp and returns the response's data. */
export const newOnramp = (merchant: Merchant, given: Record<string, unknown> = {}): Promise<Data> =>
  created('POST /v1/onramps', merchant.call('POST /v1/onramps', { body: newOnrampBody(given) }))

/** The payer's money arrives in the sandbox: as much as the order asks for, or another amount. */
export const fund = (merchant: Merchant, kind: 'offramp' | 'onramp', id: string, amount?: string): Promise<Data> => {
  const line = kind === 'offramp' ? `/v1/sandbox/offramps/${id}/deposits` : `/v1/sandbox/onramps/${id}/payments`
  return created(line, merchant.call(`POST ${line}`, { body: amount === undefined ? {} : { amount } }))
}
