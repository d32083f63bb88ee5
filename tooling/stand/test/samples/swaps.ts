import type { Merchant } from '../../src/index.ts'
import { sized } from '../size.ts'

/** Live swaps that run at the same time while workers are killed. */
export const SWAPS = Number(process.env.SWAPS ?? sized(12, 6))
/** Random schedules of faults, and the seed that they follow from. */
export const SWAP_SCHEDULES = Number(process.env.SWAP_SCHEDULES ?? sized(5, 3))
export const SWAP_SCHEDULE_SEED = Number(process.env.SWAP_SCHEDULE_SEED ?? Date.now() % 2 ** 31)

export interface SwapData {
  readonly id: string
  readonly status: string
  readonly depositAddress: string
  readonly [field: string]: unknown
}

/** The input of a typical swap. */
export const newSwapBody = (given: Record<string, unknown> = {}) => ({
  fromCurrency: 'EURC',
  toCurrency: 'USDC',
  amount: '100',
  destinationAddress: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
  ...given,
})

/** Creates a swap and returns the response's data. */
export async function newSwap(merchant: Merchant, given: Record<string, unknown> = {}): Promise<SwapData> {
  const made = await merchant.call('POST /v1/swaps', { body: newSwapBody(given) })
  if (made.status !== 201) throw new Error(`${made.status} ${made.text}`)
  return made.body.data
}

/** The deposit of a swap arrives in the sandbox: its amount, or another one. Returns the hash of its transaction. */
export async function depositFor(
  merchant: Merchant,
  swapId: string,
  given: { amount?: string; outcome?: string } = {},
): Promise<string> {
  const paid = await merchant.call(`POST /v1/sandbox/swaps/${swapId}/deposits`, { body: given })
  if (paid.status !== 201) throw new Error(`${paid.status} ${paid.text}`)
  return paid.body.data.txHash
}

/** A swap as its GET shows it. */
export const getSwap = async (merchant: Merchant, swapId: string): Promise<SwapData> =>
  (await merchant.call(`GET /v1/swaps/${swapId}`)).body.data
