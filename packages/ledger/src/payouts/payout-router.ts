import { errors as commonErrors, noInput } from '@payments/kernel'
import { command, query } from '@payments/platform'
import { changePayoutControls, payoutControls } from './payout-controls.ts'
import { PayoutControls, PayoutControlsPatch } from './payout-schemas.ts'

const tag = 'Payout controls'

/** What bounds the money that a leaked live key could send away. */
export const payoutControlsRouter = {
  get: query({
    rest: 'GET /payout-controls',
    access: 'read',
    tag,
    summary: 'Get the payout controls',
    description:
      'The daily limits of live payouts and withdrawals, what is used of them today, the destinations to which they may go, and from how much on a second person must approve them.',
    message: 'Payout controls retrieved',
    input: noInput,
    output: PayoutControls,
    run: payoutControls,
  }),
  change: command({
    rest: 'PATCH /payout-controls',
    access: 'write',
    role: 'finance',
    tag,
    summary: 'Change the payout controls',
    description:
      'Replaces the list of allowed destinations, the rule for approvals, or both; null allows every destination, and lets nothing wait for an approval. In the live environment, only an owner with a confirmed session (`POST /auth/confirm`) may change it.',
    message: 'Payout controls changed',
    input: PayoutControlsPatch,
    output: PayoutControls,
    errors: [commonErrors.session_required, commonErrors.owner_required, commonErrors.confirmation_required],
    run: changePayoutControls,
  }),
}
