import { machine } from '@payments/kernel'

/** Types of collections. All of them are rows of one table; each has states of its own. */
export const types = ['link', 'invoice', 'checkout'] as const

export const linkMachine = machine('link', 'active', {
  active: { description: 'Accepts payments', moves: { deactivate: 'inactive', expire: 'expired' } },
  inactive: {
    description: 'Deleted, or paid `maxPayments` times; sessions that were started before may still finish',
    moves: { correct_to_active: 'active' },
  },
  expired: { description: 'Not paid again after `expiresAt`' },
})

export const invoiceMachine = machine('invoice', 'open', {
  open: {
    description: 'Waits for its payment',
    needs: ['invoice_number'],
    moves: { pay: 'paid', fall_due: 'overdue', void: 'void', expire: 'expired' },
  },
  overdue: {
    description: 'Not paid by `dueAt`; open again once `dueAt` is moved ahead',
    moves: { pay: 'paid', void: 'void', expire: 'expired', extend: 'open' },
  },
  expired: {
    description: 'Not paid by `expiresAt`; a session that was started before may still pay it',
    moves: { pay: 'paid' },
  },
  paid: {
    description: 'Paid by one of its sessions',
    moves: { correct_to_open: 'open', correct_to_overdue: 'overdue', correct_to_expired: 'expired' },
  },
  void: { description: 'Deleted; a payment in progress is still delivered' },
})

export const checkoutMachine = machine('checkout', 'open', {
  open: {
    description: 'Waits for its payment',
    moves: { pay: 'paid', void: 'void', expire: 'expired' },
  },
  expired: {
    description: 'Not paid by `expiresAt`; a session that was started before may still pay it',
    moves: { pay: 'paid' },
  },
  paid: {
    description: 'Paid by one of its sessions',
    moves: { correct_to_open: 'open', correct_to_expired: 'expired' },
  },
  void: { description: 'Deleted; a payment in progress is still delivered' },
})

/**
 * `correct_to_…` are edges of corrections alone: an operator records another outcome of a payment than the one that led here, and the session gets
 * the status that follows from what counts now; or the merchant accepts as paid what does not count by itself.
 */
export const sessionMachine = machine('checkout_session', 'awaiting_payment', {
  awaiting_payment: {
    description: 'Waits for the payer',
    needs: ['deposit_address'],
    moves: { receive: 'processing', expire: 'expired', cancel: 'cancelled' },
  },
  processing: {
    description: 'A payment was received and is being delivered',
    moves: { pay: 'paid', fall_short: 'underpaid', return: 'returned', fail: 'failed' },
  },
  underpaid: {
    description: 'Less than `amount` was received; the rest can be paid to the same address',
    moves: {
      receive: 'processing',
      expire: 'expired',
      correct_to_paid: 'paid',
      correct_to_returned: 'returned',
      correct_to_failed: 'failed',
    },
  },
  paid: {
    description: '`amount`, less the tolerance, was received',
    needs: ['paid_at'],
    moves: {
      correct_to_processing: 'processing',
      correct_to_underpaid: 'underpaid',
      correct_to_expired: 'expired',
      correct_to_returned: 'returned',
      correct_to_failed: 'failed',
    },
  },
  expired: {
    description: 'Not paid in time; a payment within the grace time still counts',
    moves: {
      receive: 'processing',
      correct_to_paid: 'paid',
      correct_to_returned: 'returned',
      correct_to_failed: 'failed',
    },
  },
  cancelled: {
    description: 'Cancelled by the payer, or another session paid',
    moves: { correct_to_paid: 'paid' },
  },
  returned: {
    description:
      'Nothing was delivered; every payment was sent back, `refundTo` says to whom. It can still be paid until its grace time is over',
    moves: { receive: 'processing', correct_to_failed: 'failed' },
  },
  failed: {
    description:
      'A payment was neither delivered nor sent back; `failureReason` says why. It can still be paid until its grace time is over',
    needs: ['failure_reason'],
    moves: { receive: 'processing', return: 'returned' },
  },
})

/** States in which a session takes part of the limit of open sessions. */
export const openStates = ['awaiting_payment', 'processing', 'underpaid'] as const

/** States in which new sessions of a collection may be started. */
export const payableStates = ['active', 'open', 'overdue'] as const

/** Is it one of the {@link payableStates}? */
export const isPayableState = (status: string): boolean => (payableStates as readonly string[]).includes(status)
