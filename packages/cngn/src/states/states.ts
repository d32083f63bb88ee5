import { machine } from '@payments/kernel'

/** The states of all five kinds of objects: `kinds.ts` names them. */
const states = {
  pending: {
    description: 'Created; waits for its money to arrive, or to be sent',
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

/** One attempt to verify the identity of a customer. */
export const enablementMachine = machine('cngn_enablement', 'pending', {
  pending: { description: 'The identity is being verified', moves: { enable: 'enabled', fail: 'failed' } },
  enabled: { description: 'The identity was verified: the customer can use cNGN' },
  failed: { description: 'The identity could not be verified', needs: ['failure_reason'] },
})
