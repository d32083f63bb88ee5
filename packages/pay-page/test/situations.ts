import type { PayData, Payment, PaySession } from '../src/data.ts'
import type { MoneyData, Outcome, What, When } from '../src/money/situation.ts'
import { table } from '../src/money/table.ts'

// A session in each situation of the table.

export interface Case {
  readonly what: What
  readonly when: When
  readonly outcome: Outcome | 'none' | 'pending'
}

/** Every cell of the table. */
export const cases: readonly Case[] = Object.entries(table).flatMap(([what, times]) =>
  Object.entries(times).flatMap(([when, cells]) =>
    Object.keys(cells).map((outcome) => ({ what, when, outcome }) as Case),
  ),
)

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
export const REFUND = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'
export const HASH = '0x9c2d0e5a'

/** The session asks for 25 USDC on Ethereum until 12:15, and accepts payments until 13:15. */
const SERVER_TIME: Readonly<Record<When, string>> = {
  in_time: '2026-01-31T12:05:00.000Z',
  grace: '2026-01-31T12:30:00.000Z',
  late: '2026-01-31T14:00:00.000Z',
  cancelled: '2026-01-31T12:05:00.000Z',
  void: '2026-01-31T12:05:00.000Z',
  suspended: '2026-01-31T12:05:00.000Z',
}
const AMOUNTS: Readonly<Record<What, string>> = {
  nothing: '0',
  part: '10',
  part_confirming: '10',
  all: '25',
  all_confirming: '25',
  too_much: '30',
  other: '25',
  other_confirming: '25',
  unknown_confirming: '0',
}
const STATUSES = { delivered: 'completed', returned: 'refunded', returning: 'refunded', pending: 'pending' } as const

const isLate = ({ when }: Case): boolean => when === 'late' || when === 'cancelled'
const isOther = ({ what }: Case): boolean => what.startsWith('other')

export function paymentOf(of: Case): Payment {
  const { outcome } = of
  const owner = outcome === 'returning' ? 'service' : 'payer'
  return {
    method: 'onchain',
    txHash: HASH,
    networkKey: 'ethereum',
    currency: isOther(of) ? 'USDT' : 'USDC',
    amount: AMOUNTS[of.what],
    creditedAmount: isOther(of) ? '0' : AMOUNTS[of.what],
    returnedAmount: '0',
    returnFailed: false,
    underDelivered: false,
    status: outcome in STATUSES ? STATUSES[outcome as keyof typeof STATUSES] : 'failed',
    counts: !isLate(of) && !isOther(of),
    failureReason:
      outcome === 'unconfirmed' ? 'deposit_not_confirmed' : outcome === 'failed' ? 'delivery_failed' : null,
    settled: false,
    refundTo: { address: REFUND, owner },
    receivedAt: SERVER_TIME[of.when],
  }
}

function statusOf({ what, when, outcome }: Case): string {
  if (when === 'cancelled') return 'cancelled'
  if (when === 'late') return 'expired'
  if (outcome === 'pending') return what === 'other_confirming' ? 'awaiting_payment' : 'processing'
  if (outcome === 'delivered' && (what === 'all' || what === 'too_much')) return 'paid'
  if (what === 'nothing' || what === 'other') return when === 'grace' ? 'expired' : 'awaiting_payment'
  if (outcome === 'delivered') return when === 'grace' ? 'expired' : 'underpaid'
  return outcome === 'returned' || outcome === 'returning' ? 'returned' : 'failed'
}

export function sessionOf(of: Case): PaySession {
  const received = of.outcome === 'delivered' && !isOther(of) ? AMOUNTS[of.what] : '0'
  const status = statusOf(of)
  return {
    id: '01936f2a-7c1e-7000-8000-000000000081',
    status,
    method: 'onchain',
    networkKey: 'ethereum',
    currency: 'USDC',
    amount: '25',
    pricing: null,
    minimumAmount: '24.875',
    receivedAmount: received,
    remainingAmount: String(Math.max(0, 25 - Number(received))),
    fiatValue: { amount: '25.00', currency: 'USD' },
    depositAddress: ADDRESS,
    paymentUri: ADDRESS,
    bankAccount: null,
    payments: of.what === 'nothing' ? [] : [paymentOf(of)],
    paidOver: Number(received) > 25,
    paidTwice: false,
    paidLate: status === 'paid' && of.when === 'grace',
    refundTo: null,
    expiresAt: '2026-01-31T12:15:00.000Z',
    acceptedUntil: '2026-01-31T13:15:00.000Z',
    paidAt: status === 'paid' ? SERVER_TIME[of.when] : null,
  }
}

export const dataOf = (of: Case, session = sessionOf(of)): MoneyData => ({
  linkStatus: of.when === 'void' ? 'void' : 'active',
  suspended: of.when === 'suspended',
  payable: of.when !== 'void' && of.when !== 'suspended',
  refundRequired: false,
  serverTime: SERVER_TIME[of.when],
  merchant: { name: 'Ada Ltd' },
  session,
})

/** The whole page of a session in a situation. */
export const pageOf = (of: Case, session = sessionOf(of)): PayData => ({
  ...dataOf(of, session),
  id: session.id,
  linkId: '01936f2a-7c1e-7000-8000-000000000080',
  type: 'session',
  status: session.status,
  environment: 'live',
  title: 'Consulting',
  description: null,
  number: null,
  amount: '25',
  pricing: null,
  subtotal: null,
  discount: null,
  tax: null,
  items: [],
  currency: 'USDC',
  fiatValue: { amount: '25.00', currency: 'USD' },
  timeZone: 'UTC',
  dueAt: null,
  paymentOptions: [{ networkKey: 'ethereum', currency: 'USDC', estimatedFee: '0.61', estimatedSeconds: 70 }],
  bankTransfer: null,
  session,
  theme: { layout: 'card', accentColor: '#1a56db', hideBrandFooter: false },
  branding: {
    displayName: null,
    accentColor: null,
    backgroundColor: null,
    colorScheme: null,
    supportEmail: null,
    supportUrl: null,
    websiteUrl: null,
    legalName: null,
    address: null,
    taxId: null,
    termsUrl: null,
    privacyUrl: null,
    logoPath: null,
    verifiedDomain: null,
  },
  transactionUrl: null,
  allowedOrigins: [],
  redirectUrl: null,
  cancelUrl: null,
})
