import { type Data, type Merchant, samples } from '../../src/index.ts'
import { sized } from '../size.ts'
import { create, pay } from './create.ts'

/** Orders of the long test of local fiat: `OFFRAMPS=1000 ONRAMPS=500` makes it long. */
export const OFFRAMPS = Number(process.env.OFFRAMPS ?? sized(24, 16))
export const ONRAMPS = Number(process.env.ONRAMPS ?? sized(16, 8))

export const newOfframpBody = samples.offramp.body
export const newOnrampBody = samples.onramp.body

/** Creates an offramp and returns the response's data. */
export const newOfframp = (merchant: Merchant, given: Record<string, unknown> = {}): Promise<Data> =>
  create(merchant, samples.offramp, given)

/** Creates an onramp and returns the response's data. */
export const newOnramp = (merchant: Merchant, given: Record<string, unknown> = {}): Promise<Data> =>
  create(merchant, samples.onramp, given)

/** The payer's money arrives in the sandbox: as much as the order asks for, or another amount. */
export const fund = (merchant: Merchant, kind: 'offramp' | 'onramp', id: string, amount?: string): Promise<Data> =>
  pay(merchant, samples[kind], id, amount === undefined ? {} : { amount })
