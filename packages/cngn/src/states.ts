import { machine } from '@payments/kernel'

/** The states of all five kinds of objects: `kinds.ts` names them. */
const states = {
  pending: {
    description: 'Created; waits for its money to arrive, to be approved by a second person, or to be sent',
    moves: { process: 'processing', fail: 'failed' },
  },
  processing: {
    description: 'The money has arrived or was sent, and is being processed',
    needs: ['amount'],
    moves: { complete: 'completed', fail: 'failed' },
  },
  completed: {
    description:
      'Done: the money is in the balance, or was delivered. An operator can revoke it when the provider took that back',
    needs: ['amount'],
    moves: { revoke: 'failed' },
  },
  failed: {
    description:
      'Could not be completed; `failureReason` says why. Reserved money is back in the balance. It is completed if the money arrives or was delivered after all',
    needs: ['failure_reason'],
    moves: { recover: 'completed' },
  },
} as const

export const machines = {
  convert: machine('cngn_convert', 'pending', states),
  withdrawal: machine('cngn_withdrawal', 'pending', states),
  payout: machine('cngn_payout', 'pending', states),
  payin: machine('cngn_payin', 'pending', states),
  deposit: machine('cngn_deposit', 'pending', states),
}

/** Where the approval of money out by a second person stands. */
export const approvalStatuses = ['waiting', 'approved', 'rejected', 'expired'] as const

/** One attempt to verify the identity of a customer. */
export const enablementMachine = machine('cngn_enablement', 'pending', {
  pending: { description: 'The identity is being verified', moves: { enable: 'enabled', fail: 'failed' } },
  enabled: { description: 'The identity was verified: the customer can use cNGN' },
  failed: { description: 'The identity could not be verified', needs: ['failure_reason'] },
})

/**
 * An order of money out, from its object's creation to its end: see `movements/sends/`, whose `table.ts`, `holds.ts` and `found.ts` alone write it.
 */
export const sendMachine = machine('cngn_send', 'queued', {
  queued: {
    description: 'Waits to be sent. Nothing was sent, or it is certain that nothing was',
    moves: { claim: 'claimed', doubt: 'unresolved', hold: 'held', find: 'accepted', end: 'ended' },
  },
  claimed: {
    description: 'A process calls the provider, or has died in the call: what becomes of it is not known yet',
    needs: ['sent_at'],
    moves: { find: 'accepted', lose: 'unresolved', requeue: 'queued', end: 'ended' },
  },
  unresolved: {
    description:
      'The call failed, so the order may have been sent: the provider’s lists find it, or show that it was not',
    needs: ['sent_at'],
    moves: { find: 'accepted', requeue: 'queued', end: 'ended' },
  },
  accepted: {
    description: 'The provider has it, under a reference that is known',
    needs: ['sent_at', 'reference'],
    moves: { release: 'unresolved', deliver: 'delivering', end: 'ended' },
  },
  delivering: {
    description: 'cNGN of a convert was sent, and what it became is not delivered yet',
    needs: ['next_delivery_at'],
    moves: { end: 'ended' },
  },
  held: {
    description: 'Not sent before an operator releases it, or fails its object',
    needs: ['error'],
    moves: { requeue: 'queued', find: 'accepted', end: 'ended' },
  },
  ended: { description: 'Its object has ended' },
})

/** Money that arrived: see `movements/receipts/`, whose `table.ts` and `unassigned.ts` alone write it. */
export const receiptMachine = machine('cngn_receipt', 'open', {
  open: {
    description: 'Reported, and not at the provider’s disposal yet',
    moves: { credit: 'credited', fail: 'failed', suspend: 'suspense', return: 'returned' },
  },
  credited: { description: 'In the balance of an object’s customer', moves: { fail: 'failed' } },
  failed: {
    description: 'Declined by the provider, which may accept it after all',
    moves: { credit: 'credited', suspend: 'suspense' },
  },
  suspense: {
    description: 'At the provider, without an owner: operators find out whose it is',
    moves: { credit: 'credited', assign: 'assigned', resolve: 'resolved', return: 'returned' },
  },
  assigned: { description: 'Credited by an operator to a customer', moves: { fail: 'failed' } },
  resolved: { description: 'Moved out of suspense by an entry of the ledger' },
  returned: { description: 'Sent back' },
})
