import type { Direction, OrderReport } from '../provider/provider.ts'

/** The states of an order that succeeds, and the event that leads from each to the next. */
const LINES = {
  offramp: { states: ['pending', 'processing', 'settled', 'delivered'], events: ['receive', 'settle', 'deliver'] },
  onramp: { states: ['awaiting_payment', 'processing', 'delivered'], events: ['receive', 'deliver'] },
} as const

/** What an order has to pass through for a report. */
export interface Path {
  readonly events: readonly ('receive' | 'settle' | 'deliver' | 'fail' | 'expire')[]
  /** Why it fails, where the provider does not say. */
  readonly reason: OrderReport['failureReason']
}

const nowhere: Path = { events: [], reason: null }

/**
 * The events that bring an order from its status to the reported one, through every state in between. Empty when it is
 * there, or beyond: reports of earlier states change nothing. Money that was received is never skipped: an order with
 * money is `processing` before it fails, and `settled` before its bank returns it.
 */
export function pathTo(direction: Direction, status: string, received: boolean, report: OrderReport): Path {
  const { states, events } = LINES[direction]
  const at = status === 'expired' ? 0 : (states as readonly string[]).indexOf(status)
  if (at < 0 || at === states.length - 1) return nowhere
  const hasMoney = received || at > 0
  const until = (state: string) => events.slice(at, Math.max(at, (states as readonly string[]).indexOf(state)))
  switch (report.status) {
    case 'waiting':
      return nowhere
    case 'received':
      return { events: until('processing'), reason: null }
    case 'settled':
      return { events: until(direction === 'offramp' ? 'settled' : 'processing'), reason: null }
    case 'delivered':
      return { events: until('delivered'), reason: null }
    case 'expired':
      if (!hasMoney && direction === 'onramp') return { events: status === 'expired' ? [] : ['expire'], reason: null }
      if (!hasMoney) return { events: ['fail'], reason: 'deposit_not_received' }
      // Its money came later, and the report is older than that.
      if (direction === 'onramp' && at > 0) return nowhere
      break
  }
  if (!hasMoney) return { events: ['fail'], reason: direction === 'offramp' ? 'payout_failed' : 'delivery_failed' }
  if (direction === 'onramp') return { events: [...until('processing'), 'fail'], reason: 'delivery_failed' }
  const through = report.failureReason === 'returned_by_bank' ? 'settled' : 'processing'
  return { events: [...until(through), 'fail'], reason: status === 'settled' ? 'returned_by_bank' : 'payout_failed' }
}
