import { id, type ObjectBalance, text } from '@payments/kernel'
import { Bank, Leg, Money, TransactionHash, Wallet } from '@payments/ledger'
import type { ReceiptDeclaration, ReportedAmounts } from '@payments/platform'
import { z } from 'zod'
import { units } from './kinds/amounts.ts'
import { EXAMPLES } from './kinds/fields.ts'
import { CNGN, type Kind } from './kinds/kinds.ts'
import { approvalStatuses } from './states.ts'

const common = (kind: Kind) => ({
  type: z.literal(`cngn_${kind}`).meta({ description: 'Kind of the receipt' }),
  transferId: id(kind, EXAMPLES[kind]),
  status: text(`State of the ${kind}`, 'completed'),
  fee: text('Fee of the provider, in the source currency', '0'),
  failureReason: text('Why it failed', 'expired').nullable(),
})
/** Of money out. */
const approvalStatus = z
  .enum(approvalStatuses)
  .optional()
  .meta({ description: 'Of money out that needs a second person: where its approval stands', example: 'approved' })
const document = <S extends z.ZodRawShape>(kind: Kind, name: string, shape: S) =>
  z
    .looseObject({ ...common(kind), ...shape })
    .meta({ id: `Cngn${name}Receipt`, description: `Receipt of a cNGN ${kind}; amounts are decimal text` })

const what = (text: string) => ({ description: text })

/** Receipts of the five kinds. Amounts are decimal text; a destination has what was delivered, "0" until then and where it failed. */
const receiptSchemas = {
  convert: document('convert', 'Convert', {
    source: Leg.meta(what('What is converted')),
    destination: Wallet.meta(what('What it became; without an address it is in the balance')),
    rate: text('cNGN for one unit of the other stablecoin', '1580.25'),
    depositTxHash: TransactionHash,
    refundTxHash: TransactionHash,
    txHash: TransactionHash,
    approvalStatus,
  }),
  withdrawal: document('withdrawal', 'Withdrawal', {
    source: Money.meta(what('What leaves the balance')),
    destination: Wallet.meta(what('What was delivered to the wallet')),
    txHash: TransactionHash,
    approvalStatus,
  }),
  payout: document('payout', 'Payout', {
    source: Money.meta(what('What leaves the balance')),
    destination: Money.meta(what('What was delivered to the account')),
    bankAccount: Bank.meta(what('The account that receives the naira')),
    reference: text('Your own reference', 'payroll-17').nullable(),
    approvalStatus,
  }),
  payin: document('payin', 'Payin', {
    source: Money.meta(what('What was paid')),
    destination: Money.meta(what('What is in the balance')),
    bankAccount: Bank.meta(what('The account into which it was paid')),
    reference: text('Reference for the payment', 'PIN-0004K7Q2M9X3TAB').nullable(),
  }),
  deposit: document('deposit', 'Deposit', {
    source: Wallet.meta(what('What arrived, and where')),
    destination: Money.meta(what('What is in the balance')),
    txHash: TransactionHash,
  }),
}

interface Receipt {
  readonly status: string
  readonly fee: string
  readonly source: { readonly symbol: string; readonly amount: string }
  readonly destination: { readonly symbol: string; readonly amount: string }
}

const balance = (purpose: string, asset: string, amount: bigint): ObjectBalance => ({ purpose, asset, amount })

/** What the journal must show for money that arrives: nothing until it is completed, then in the customer's balance. */
function arriving({ status, fee, source, destination }: Receipt): ObjectBalance[] {
  if (status !== 'completed') return []
  const from = source.symbol === 'NGN' ? CNGN : source.symbol
  const [amount, kept, credited] = [units(source.amount, from), units(fee, from), units(destination.amount, CNGN)]
  return [
    balance('external', from, -amount),
    balance('fees', from, kept),
    balance('available', CNGN, credited),
    ...(from === CNGN ? [] : [balance('exchange', from, amount - kept), balance('exchange', CNGN, -credited)]),
  ]
}

/** For money that leaves: reserved until it is completed, then outside; given back when it fails, less what the provider kept. */
function leaving({ status, fee, source, destination }: Receipt): ObjectBalance[] {
  const [amount, kept] = [units(source.amount, CNGN), units(fee, CNGN)]
  if (status === 'failed') return [balance('available', CNGN, -kept), balance('fees', CNGN, kept)]
  if (status !== 'completed') return [balance('available', CNGN, -amount), balance('reserved', CNGN, amount)]
  const taken = [balance('available', CNGN, -amount), balance('fees', CNGN, kept)]
  const to = destination.symbol === 'NGN' ? CNGN : destination.symbol
  if (to === CNGN) return [...taken, balance('external', CNGN, amount - kept)]
  const delivered = units(destination.amount, to)
  return [
    ...taken,
    balance('exchange', CNGN, amount - kept),
    balance('exchange', to, -delivered),
    balance('external', to, delivered),
  ]
}

/** What the provider must have reported of an object that is completed: what arrived or, of money out, what was ordered. */
const evidenceOf = (kind: Kind, { status, source }: Receipt): ReportedAmounts => {
  if (status !== 'completed') return {}
  const asset = source.symbol === 'NGN' ? CNGN : source.symbol
  const moved = { asset, amount: units(source.amount, asset) }
  if (kind === 'payout' || kind === 'withdrawal') return { delivered: moved }
  return kind === 'convert' && asset === CNGN ? {} : { received: moved }
}

const balances: Readonly<Record<Kind, (receipt: Receipt) => ObjectBalance[]>> = {
  convert: (receipt) => (receipt.source.symbol === CNGN ? leaving(receipt) : arriving(receipt)),
  withdrawal: leaving,
  payout: leaving,
  payin: arriving,
  deposit: arriving,
}

export const receipts: Readonly<Record<string, ReceiptDeclaration>> = Object.fromEntries(
  (Object.keys(receiptSchemas) as Kind[]).map((kind) => [
    `cngn_${kind}`,
    {
      schema: receiptSchemas[kind],
      balances: balances[kind] as ReceiptDeclaration['balances'],
      evidence: (receipt: Receipt) => evidenceOf(kind, receipt),
      outcomes: { succeeded: ['completed'], failed: ['failed'] },
    } as ReceiptDeclaration,
  ]),
)
