import type { PayData } from '../data.ts'

/** What a payer sees: the state of a session, or of the link, invoice or checkout. */
export type Screen =
  | 'choose'
  | 'waiting'
  | 'underpaid'
  | 'confirming'
  | 'paid'
  | 'paid_already'
  | 'returned'
  | 'failed'
  | 'expired'
  | 'cancelled'
  | 'closed'

const OF_SESSION: Readonly<Record<string, Screen>> = {
  awaiting_payment: 'waiting',
  processing: 'confirming',
  underpaid: 'underpaid',
  paid: 'paid',
  returned: 'returned',
  failed: 'failed',
  expired: 'expired',
  cancelled: 'cancelled',
}

export function screenOf({ session, payable, status }: PayData): Screen {
  if (session) return OF_SESSION[session.status] ?? 'closed'
  if (payable) return 'choose'
  return status === 'paid' ? 'paid_already' : 'closed'
}

/** Screens on which something may still change. */
export const isLive = (screen: Screen): boolean => !['choose', 'paid_already', 'closed'].includes(screen)
