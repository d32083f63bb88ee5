import { amountsSetting, defineSettings } from '@payments/platform'

/** Limits that bound what a leaked live key can do. */
export const ledgerSettings = defineSettings({
  PAYOUT_DAILY_LIMITS: amountsSetting
    .transform((limits) => [...limits])
    .default([])
    .describe(
      'How much of each asset one organisation may pay out and withdraw in live on one day (UTC), such as `USDC:50000,EURC:20000`; assets that are not named have no limit',
    ),
})
