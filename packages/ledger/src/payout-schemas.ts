import { canonicalAddress, networkOf } from '@payments/kernel'
import { z } from 'zod'

const WalletDestination = z
  .strictObject({
    type: z.literal('wallet'),
    networkKey: z.string().meta({ example: 'base' }),
    address: z.string().meta({ example: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' }),
  })
  .superRefine(({ networkKey, address }, context) => {
    const network = networkOf(networkKey)
    if (!network) context.addIssue({ code: 'custom', path: ['networkKey'], message: 'Unknown network' })
    else if (canonicalAddress(network.type, address) === undefined)
      context.addIssue({ code: 'custom', path: ['address'], message: `Must be an address of ${network.name}` })
  })
const BankDestination = z.strictObject({
  type: z.literal('bank'),
  bankCode: z
    .string()
    .regex(/^[A-Za-z0-9]{1,20}$/, 'Must be a bank code')
    .meta({ example: '058' }),
  accountNumber: z
    .string()
    .regex(/^[A-Za-z0-9+]{1,40}$/, 'Must be an account number')
    .meta({ example: '0123456789' }),
})

/** Where a payout or withdrawal may go. */
export const PayoutDestination = z.union([WalletDestination, BankDestination]).meta({ id: 'PayoutDestination' })

/** One text for each destination, whatever the spelling of its address. */
export function destinationText(destination: z.output<typeof PayoutDestination>): string {
  if (destination.type === 'bank') return `bank:${destination.bankCode}:${destination.accountNumber}`
  const { networkKey, address } = destination
  const network = networkOf(networkKey)
  return `wallet:${networkKey}:${(network && canonicalAddress(network.type, address)) ?? address}`
}

export const PayoutControls = z
  .object({
    dailyLimits: z.array(
      z.object({
        currency: z.string(),
        limit: z.string().meta({ description: 'For one day (UTC)' }),
        used: z.string().meta({ description: 'Today, payouts in progress included' }),
      }),
    ),
    allowedDestinations: z.array(PayoutDestination).nullable().meta({ description: 'Null: every destination' }),
  })
  .meta({ id: 'PayoutControls' })

export const PayoutControlsPatch = z.strictObject({
  allowedDestinations: z
    .array(PayoutDestination)
    .max(500, 'Must name at most 500 destinations')
    .nullable()
    .meta({ example: [{ type: 'bank', bankCode: '058', accountNumber: '0123456789' }] }),
})
