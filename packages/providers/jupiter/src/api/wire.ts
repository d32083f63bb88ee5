import { z } from 'zod'

/** What this adapter reads of Jupiter's answers (Swap API V2). Amounts are integers as text. */

const Units = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform(BigInt)
const Key = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)

/** `GET /swap/v2/order` without a taker: a quote. */
export const Order = z.object({
  inputMint: Key,
  outputMint: Key,
  inAmount: Units,
  outAmount: Units,
  /** In percent. */
  priceImpact: z.number().optional(),
})

export const WireInstruction = z.object({
  programId: Key,
  accounts: z.array(z.object({ pubkey: Key, isSigner: z.boolean(), isWritable: z.boolean() })).max(64),
  data: z.base64(),
})
export type WireInstruction = z.output<typeof WireInstruction>

/** `GET /swap/v2/build`: a quote with instructions. */
export const Build = z.object({
  inputMint: Key,
  outputMint: Key,
  inAmount: Units,
  outAmount: Units,
  otherAmountThreshold: Units,
  swapMode: z.string(),
  slippageBps: z.number().int(),
  computeBudgetInstructions: z.array(WireInstruction),
  setupInstructions: z.array(WireInstruction),
  swapInstruction: WireInstruction,
  cleanupInstruction: WireInstruction.nullish(),
  otherInstructions: z.array(WireInstruction).nullish(),
  tipInstruction: WireInstruction.nullish(),
  addressesByLookupTableAddress: z.record(Key, z.array(Key)).nullish(),
})
export type Build = z.output<typeof Build>

export const Problem = z.object({ error: z.string() })
