import { randomBytes } from 'node:crypto'
import { Amount } from '@payments/kernel'
import { defineSettings, providersSetting, SettingsError, secondsSetting } from '@payments/platform'
import { z } from 'zod'

const SEED_BYTES = 32

const amount = (description: string, value: string) => Amount.default(value).describe(description)

export const swapsSettings = defineSettings(
  {
    SWAPS_PROVIDERS: providersSetting
      .optional()
      .describe('Providers of new swaps, in the order in which they are asked. Unset: all that are configured'),
    SWAP_SEED: z
      .base64('must be 32 bytes in base64')
      .refine((text) => Buffer.from(text, 'base64').length === SEED_BYTES, 'must be 32 bytes in base64')
      .optional()
      .describe(
        'Master seed of the deposit addresses of swaps, 32 bytes in base64. It is enough to spend what is there; without it, that money is lost. Only workers use it: leave it out with PROCESS_ROLE=gateway. Without it in any worker, `POST /swaps` answers 503. Generated outside production',
      ),
    SWAP_MIN_AMOUNT: amount('Smallest amount of a swap, in the currency that is swapped', '1'),
    SWAP_MAX_AMOUNT: amount('Largest amount of a swap, in the currency that is swapped', '100000'),
    SWAP_MIN_REFUND_AMOUNT: amount(
      'Smallest amount that is sent back by itself. Less stays at the deposit address, visible to operators, because sending it costs more than it is worth',
      '0.1',
    ),
    SWAP_MAX_SLIPPAGE_PERCENT: z.coerce
      .number()
      .min(0.5)
      .max(5)
      .default(5)
      .describe('Largest `maxSlippagePercent` that a swap may have; the default of a swap is 0.5'),
    SWAP_FEE_PAYER_MIN_SOL: amount(
      'Balance of the fee payer, in SOL, below which `POST /swaps` answers 503 in the live environment',
      '0.1',
    ),
    SWAP_REFUND_SOL_PER_DAY: amount(
      'What refunds, and swaps that create the token account of their destination, may cost the fee payer in a UTC day for one organisation, in SOL: fees, and the rents of token accounts, which their owners can close. Beyond it refunds wait for the next day, and such swaps fail and are sent back',
      '0.1',
    ),
    SWAP_GIVE_UP_MINUTES: z.coerce
      .number()
      .int()
      .min(5)
      .default(60)
      .describe('How long a deposit waits for a provider that fails, before it is sent back'),
    SWAP_EXPIRY_MINUTES: z.coerce
      .number()
      .int()
      .min(1)
      .max(1440)
      .default(30)
      .describe('How long a swap waits for its deposit'),
    SWAP_RATE_SECONDS: secondsSetting.max(3600).default(10).describe('How long `GET /rates` shows the same quote'),
    SWAP_RATE_CALLS_PER_MINUTE: z.coerce
      .number()
      .int()
      .min(1)
      .default(30)
      .describe('How many new quotes `GET /rates` gets from the provider in a minute for each organisation'),
  },
  (values, { production, keep }) => {
    if (Number(values.SWAP_MIN_AMOUNT) > Number(values.SWAP_MAX_AMOUNT))
      throw new SettingsError('SWAP_MIN_AMOUNT: must not be greater than SWAP_MAX_AMOUNT')
    const SWAP_SEED =
      values.SWAP_SEED ?? (production ? undefined : keep('swap.seed', () => randomBytes(SEED_BYTES).toString('base64')))
    return { ...values, SWAP_SEED }
  },
)
