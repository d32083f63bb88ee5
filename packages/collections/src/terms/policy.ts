import { invalid, isWholeBasisPoints } from '@payments/kernel'
import type { AddressUse } from '@payments/routes'
import { z } from 'zod'

const MOST_TOLERANCE_PERCENT = 5
const MOST_GRACE_MINUTES = 10_080

const mismatch = z.enum(['keep', 'return']).meta({
  description:
    'What happens to another amount than requested. `keep`: everything is delivered, and less can be topped up. `return`: less is sent back, and of more the excess',
  example: 'keep',
})
const tolerancePercent = z
  .number()
  .min(0)
  .max(MOST_TOLERANCE_PERCENT)
  .refine(isWholeBasisPoints, 'Must have at most 2 decimals')
  .meta({
    description: 'A smaller shortfall, in percent of the amount, counts as paid; 0 with `return`',
    example: 0.5,
  })
const graceMinutes = z
  .number()
  .int()
  .min(0)
  .max(MOST_GRACE_MINUTES)
  .meta({ description: 'A payment so long after the end of its session still counts', example: 60 })

export const PaymentPolicy = z
  .object({ mismatch, tolerancePercent: z.number().meta({ ...tolerancePercent.meta() }), graceMinutes })
  .meta({ id: 'PaymentPolicy', description: 'What happens to a payment of another amount, or after the end' })
export type PaymentPolicy = z.infer<typeof PaymentPolicy>

export const PaymentPolicyPatch = z
  .strictObject({
    mismatch: mismatch.optional(),
    tolerancePercent: tolerancePercent.optional(),
    graceMinutes: graceMinutes.optional(),
  })
  .meta({ description: 'Only the fields that differ from the default' })

export const DEFAULT_POLICY: PaymentPolicy = { mismatch: 'keep', tolerancePercent: 0.5, graceMinutes: 60 }

/** A session that sends other amounts back needs an address for one payment; any other takes as many as arrive. */
export const addressUse = ({ mismatch }: Pick<PaymentPolicy, 'mismatch'>): AddressUse =>
  mismatch === 'return' ? 'exact' : 'reusable'

/**
 * A policy with some fields replaced. `return` has no tolerance: the provider enforces the amount.
 * @param prefix the path of the fields in the request, for the error
 * @throws validation_failed 422 on `tolerancePercent` for a tolerance with `return`
 */
export function mergePolicy(
  base: PaymentPolicy,
  change: z.output<typeof PaymentPolicyPatch> = {},
  prefix = '',
): PaymentPolicy {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  const merged = { ...base, ...given }
  if (merged.mismatch === 'keep') return merged
  if ((change.tolerancePercent ?? 0) !== 0)
    throw invalid({ [`${prefix}tolerancePercent`]: 'Must be 0 with mismatch "return"' })
  return { ...merged, tolerancePercent: 0 }
}

/** The least that counts as the whole amount, in minor units: rounded up, so that the tolerance is never exceeded. */
export function thresholdOf(amount: bigint, { tolerancePercent: percent }: PaymentPolicy): bigint {
  return amount - (amount * BigInt(Math.round(percent * 100))) / 10_000n
}

/** What is missing of the requested amount, in minor units; never negative. What a tolerance left out of a paid session is not. */
export const missingAmount = ({
  status,
  amount,
  receivedAmount,
}: {
  readonly status: string
  readonly amount: bigint
  readonly receivedAmount: bigint
}): bigint => (status === 'paid' || receivedAmount >= amount ? 0n : amount - receivedAmount)
