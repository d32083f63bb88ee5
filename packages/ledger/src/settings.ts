import { AmountError, assetOf, toMinor } from '@payments/kernel'
import { defineSettings, listSetting } from '@payments/platform'

/** Limits that bound what a leaked live key can do. */
export const ledgerSettings = defineSettings({
  PAYOUT_DAILY_LIMITS: listSetting
    .transform((parts, context) => {
      const limits = new Map<string, bigint>()
      for (const part of parts) {
        const [symbol = '', amount = ''] = part.split(':')
        const asset = assetOf(symbol)
        const limit = asset && minorOf(amount, asset)
        if (!asset || limit === undefined || limits.has(symbol))
          context.addIssue({
            code: 'custom',
            message: `must be like USDC:50000,EURC:20000, each asset once; not "${part}"`,
          })
        else limits.set(symbol, limit)
      }
      return [...limits]
    })
    .default([])
    .describe(
      'How much of each asset one organisation may pay out and withdraw in live on one day (UTC), such as `USDC:50000,EURC:20000`; assets that are not named have no limit',
    ),
})

function minorOf(amount: string, asset: NonNullable<ReturnType<typeof assetOf>>): bigint | undefined {
  try {
    return toMinor(amount, asset)
  } catch (error) {
    if (error instanceof AmountError) return undefined
    throw error
  }
}
