import {
  Amount,
  addressField,
  allowOffCurve,
  assets,
  canonicalAddress,
  isOffCurve,
  items,
  type Mistakes,
  networkField,
  networkOf,
  personal,
  text,
} from '@payments/kernel'
import { z } from 'zod'

const WalletDestination = z
  .strictObject({
    type: z.literal('wallet').meta({ description: 'A wallet' }),
    networkKey: text('Network key', 'base').max(40),
    address: text('Address on this network', '0x71C7656EC7ab88b098defB751B7401B5f6d8976F').max(100),
    allowOffCurve,
  })
  .superRefine(({ networkKey, address, allowOffCurve }, context) => {
    const wrong: Mistakes = {}
    const network = networkField(wrong, 'networkKey', networkKey)
    if (network) addressField(wrong, 'address', network.type, address, { allowOffCurve })
    for (const [field, message] of Object.entries(wrong)) context.addIssue({ code: 'custom', path: [field], message })
  })
const BankDestination = z.strictObject({
  type: z.literal('bank').meta({ description: 'A bank account' }),
  bankCode: z
    .string()
    .regex(/^[A-Za-z0-9]{1,20}$/, 'Must be a bank code')
    .meta({ description: 'Code of the bank', example: '058' }),
  accountNumber: personal(
    z
      .string()
      .regex(/^[A-Za-z0-9+]{1,40}$/, 'Must be an account number')
      .meta({ description: 'Account number', example: '0123456789' }),
  ),
})

/** Where a payout or withdrawal may go. */
export const PayoutDestination = z
  .union([WalletDestination, BankDestination])
  .meta({ id: 'PayoutDestination', description: 'A wallet or bank account' })

/** One text for each destination, whatever the spelling of its address. */
export function destinationText(destination: z.output<typeof PayoutDestination>): string {
  if (destination.type === 'bank') return `bank:${destination.bankCode}:${destination.accountNumber}`
  return `wallet:${destination.networkKey}:${walletOf(destination)}`
}

type Wallet = z.output<typeof WalletDestination>

/** The address of a wallet in its canonical spelling. */
export function walletOf({ networkKey, address }: Wallet): string {
  const network = networkOf(networkKey)
  return (network && canonicalAddress(network.type, address)) ?? address
}

/** Is it a Solana address without a private key? Then its list is accepted with `allowOffCurve` alone. */
export const hasOffCurve = (destination: z.output<typeof PayoutDestination>): boolean =>
  destination.type === 'wallet' &&
  networkOf(destination.networkKey)?.type === 'svm' &&
  isOffCurve('svm', destination.address)

export const PayoutControls = z
  .object({
    dailyLimits: items(
      'Limits of live payouts and withdrawals for one day (UTC)',
      z.object({
        currency: text('Currency symbol', 'cNGN'),
        limit: text('Limit as decimal text', '5000000'),
        used: text('Used today, payouts in progress included', '125000'),
      }),
    ),
    allowedDestinations: items(
      'The only permitted destinations; null: every destination',
      PayoutDestination,
    ).nullable(),
    approval: z
      .object({
        from: z
          .object({ cNGN: text('Amount as decimal text', '1000').optional() })
          .nullable()
          .meta({ description: 'From how much a day on payouts need a second person; null: they never do' }),
      })
      .meta({ description: 'Which payouts a second person must approve' }),
  })
  .meta({ id: 'PayoutControls', description: 'What bounds the damage of a leaked key' })

export const PayoutControlsPatch = z
  .strictObject({
    allowedDestinations: z
      .array(PayoutDestination)
      .max(500, 'Must name at most 500 destinations')
      .nullable()
      .optional()
      .meta({
        description: 'The only permitted destinations; null permits every destination',
        example: [
          { type: 'bank', bankCode: '058', accountNumber: '0123456789' },
          { type: 'wallet', networkKey: 'base', address: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' },
        ],
      }),
    approval: z
      .strictObject({
        from: z
          .strictObject({
            cNGN: Amount.refine(
              (amount) => (amount.split('.')[1] ?? '').replace(/0+$/, '').length <= assets.cNGN.decimals,
              `Must have at most ${assets.cNGN.decimals} decimals`,
            ).meta({ description: 'Amount of one day (UTC), in cNGN', example: '1000' }),
          })
          .nullable()
          .meta({
            description:
              'cNGN payouts, withdrawals and converts out with which those sent without an approval on one day (UTC) would reach this amount wait for a second person; null: they never do. Offramps are not concerned: your own deposit starts them',
            example: { cNGN: '1000' },
          }),
      })
      .optional()
      .meta({ description: 'Which payouts a second person must approve' }),
  })
  .superRefine(({ allowedDestinations, approval }, context) => {
    if (allowedDestinations === undefined && approval === undefined)
      context.addIssue({ code: 'custom', path: ['allowedDestinations'], message: 'Required' })
  })
