import { CustomerRef } from '@payments/customers'
import {
  Amount,
  allowOffCurve,
  createdAt,
  environments,
  id,
  isWholeBasisPoints,
  items,
  Metadata,
  pathId,
  providerName,
  text,
  time,
  total,
  updatedAt,
} from '@payments/kernel'
import { Reason } from '@payments/platform'
import { z } from 'zod'
import { currencies } from './currencies.ts'
import { failureReasons } from './failure-reasons.ts'
import { swapMachine } from './states.ts'

const SWAP = 70
const WALLET = '2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA'
const REFUND = '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV'
const DEPOSIT = 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy'
const HASH = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'

const Currency = (description: string, example: string) => z.enum(currencies).meta({ description, example })
const Address = (description: string, example: string) => z.string().min(1).max(128).meta({ description, example })
const Slippage = (description: string) => z.number().meta({ description, example: 0.5 })
const amountText = (description: string, example: string) => text(`${description}, as decimal text`, example)

/** Slippage that a swap has unless it names another, and the most that it may name; percent. */
const DEFAULT_SLIPPAGE_PERCENT = 0.5
const MOST_SLIPPAGE_PERCENT = 5

export const NewSwap = z.strictObject({
  fromCurrency: Currency('Currency of the deposit', 'EURC'),
  toCurrency: Currency('Currency that is delivered', 'USDC'),
  amount: Amount.meta({ description: 'What is swapped, in `fromCurrency`' }),
  destinationAddress: Address('Solana wallet that receives the proceeds', WALLET),
  refundAddress: Address(
    'Solana wallet to which a deposit goes back that is not swapped. Required in the live environment',
    REFUND,
  )
    .nullable()
    .optional(),
  allowOffCurve,
  maxSlippagePercent: Slippage('How far below `expectedAmount` the proceeds may be, in percent; two decimals')
    .min(0)
    .max(MOST_SLIPPAGE_PERCENT)
    .refine(isWholeBasisPoints, 'Must have at most 2 decimals')
    .default(DEFAULT_SLIPPAGE_PERCENT),
  customerId: CustomerRef.nullable().optional(),
  metadata: Metadata.optional(),
})

export const SwapId = z.strictObject({ swapId: pathId('swap', SWAP) })
/** How an operator may say that a swap ended. */
export const Release = SwapId.extend({
  outcome: z.enum(['send', 'return']).meta({
    description:
      '`send`: its transaction is sent, as if the organisation were not suspended; `return`: a swap that was not sent fails, and its deposit goes back to the refund address',
    example: 'return',
  }),
})
export const settlements = ['completed', 'returned'] as const
export const Settlement = SwapId.extend({
  outcome: z.enum(settlements).meta({
    description:
      '`completed`: the destination received the proceeds. `returned`: what is held for the swap was sent back to its payer',
    example: 'completed',
  }),
  amount: text(
    'What the destination received, in `toCurrency`: required; or what was sent back, in `fromCurrency`: all that is held, unless given',
    '107.946',
  )
    .max(40)
    .optional(),
  txHash: text('Transaction of the chain that did so', HASH).min(1).max(128),
  evidence: text('Where it can be seen: an explorer, a letter', 'Two explorers, 22 November').max(500).optional(),
  reason: Reason,
})

export const Swap = z
  .object({
    id: id('swap', SWAP),
    provider: providerName,
    status: swapMachine.Status.meta({ description: 'State of the swap' }),
    fromCurrency: text('Currency of the deposit', 'EURC'),
    toCurrency: text('Currency that is delivered', 'USDC'),
    amount: amountText('What is swapped, in `fromCurrency`', '100'),
    expectedAmount: amountText('What the quote at creation promised, in `toCurrency`', '107.946'),
    minimumAmount: amountText('The least that is delivered; for less, the deposit goes back', '107.40627'),
    maxSlippagePercent: Slippage('How far `minimumAmount` is below `expectedAmount`, in percent'),
    depositedAmount: amountText('What arrived at the deposit address', '100'),
    receivedAmount: amountText('What the destination address received; null before', '107.946').nullable(),
    rate: amountText('`toCurrency` for one unit of `fromCurrency`: as expected, then as swapped', '1.07946'),
    fees: amountText('Fees in `toCurrency`, deducted from `receivedAmount`; null before', '0.054').nullable(),
    depositAddress: text('Address to which the payer sends `amount`', DEPOSIT),
    destinationAddress: text('Wallet that receives the proceeds', WALLET),
    refundAddress: text('Wallet to which a deposit goes back that is not swapped', REFUND),
    depositTxHash: text('Transaction of the first deposit', HASH).nullable(),
    swapTxHash: text('Transaction of the swap', HASH).nullable(),
    refundTxHash: text('Last transaction that sent something back', HASH).nullable(),
    failureReason: failureReasons.Code.nullable().meta({ description: 'Why it was not swapped' }),
    customerId: CustomerRef.nullable(),
    metadata: Metadata,
    expiresAt: time('Until when the deposit must arrive'),
    createdAt,
    updatedAt,
  })
  .meta({ id: 'Swap', description: 'A swap between EURC and USDC on Solana' })

export const SwapList = z.object({ swaps: items('The newest 200 swaps', Swap), total })

export const AdminSwapList = z.object({
  swaps: items(
    'Those that fail to be processed first, then the oldest change first',
    Swap.extend({
      organisationId: id('organisation', 1),
      environment: z.enum(environments).meta({ description: 'Environment of the swap' }),
      heldAmount: amountText('What is at the deposit address, in `fromCurrency`', '100'),
      unexplainedAmount: amountText(
        'What the chain shows at the deposit address beyond what the journal says, in `fromCurrency`; null: not compared',
        '0',
      ).nullable(),
      otherHoldings: z
        .array(
          z.object({ token: text('Mint of the token, or `SOL`', 'SOL'), amount: text('In its smallest unit', '5000') }),
        )
        .meta({ description: 'Tokens of other kinds at the deposit address; operators send them back' }),
      openSignature: text('Transaction that was signed and whose outcome is not known yet', HASH).nullable(),
      error: text('Why it could not be processed last time', 'The swap provider failed').nullable(),
      failingSince: time('Since when it fails to be processed').nullable(),
      nextPollAt: time('When it is processed next'),
    }).meta({ id: 'AdminSwap', description: 'A swap of any organisation' }),
  ),
  total,
})

export const RatesInput = z.strictObject({
  amount: Amount.default('100').meta({
    description: 'Amount to quote, in the currency that is swapped',
    example: '100',
  }),
})
export const RateList = z.object({
  rates: items(
    'Both directions',
    z
      .object({
        from: text('Currency that is swapped', 'EURC'),
        to: text('Currency that is delivered', 'USDC'),
        amountIn: amountText('Amount that is swapped', '100'),
        amountOut: amountText('Amount that would be delivered, fees deducted', '107.946'),
        rate: amountText('`to` for one unit of `from`', '1.07946'),
        priceImpactPercent: z
          .number()
          .meta({ description: 'How far the swap itself moves the price, in percent', example: 0.01 }),
        source: text('Who quotes it', 'sandbox'),
        quotedAt: time('When it was quoted'),
      })
      .meta({ id: 'Rate', description: 'An indicative quote' }),
  ),
  total,
})

/** How the swap of a sandbox deposit ends. */
export const sandboxOutcomes = ['completed', 'price_moved', 'failed'] as const
const Outcome = z.enum(sandboxOutcomes).meta({
  description:
    'How the swap ends; `price_moved`: every quote is below `minimumAmount`; `failed`: it fails on the network',
})
export const SandboxSwapDeposit = SwapId.extend({
  amount: Amount.optional().meta({ description: 'Default: the amount of the swap' }),
  outcome: Outcome.default('completed'),
})
export const SandboxSwapDepositResult = z.object({
  swapId: id('swap', SWAP),
  txHash: text('Transaction of the deposit', HASH),
  amount: amountText('What arrived', '100'),
  outcome: Outcome,
})
