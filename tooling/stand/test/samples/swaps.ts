import { type Merchant, samples } from '../../src/index.ts'
import { sized } from '../size.ts'
import { create, pay } from './create.ts'

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

export const newSwapBody = samples.swap.body

/** Creates a swap and returns the response's data. */
export const newSwap = (merchant: Merchant, given: Record<string, unknown> = {}): Promise<SwapData> =>
  create(merchant, samples.swap, given)

/** The deposit of a swap arrives in the sandbox: its amount, or another one. Returns the hash of its transaction. */
export const depositFor = async (
  merchant: Merchant,
  swapId: string,
  given: { amount?: string; outcome?: string } = {},
): Promise<string> => (await pay(merchant, samples.swap, swapId, given)).txHash

/** A swap as its GET shows it. */
export const getSwap = async (merchant: Merchant, swapId: string): Promise<SwapData> =>
  (await merchant.call(`GET /v1/swaps/${swapId}`)).body.data
