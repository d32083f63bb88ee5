import { errors as commonErrors } from '@payments/kernel'
import { ledgerErrors } from '@payments/ledger'
import { command, query } from '@payments/platform'
import { errors } from '../errors.ts'
import { presentApproval } from '../resources/present.ts'
import { PayoutApproval, PayoutApprovalId, PayoutApprovals, PayoutApprovalsInput } from '../schemas.ts'
import { approve, listApprovals, prepareApproval, reject } from '../transfers/answers.ts'

const tag = 'Payout controls'
const answers = [
  errors.payout_approval_not_found,
  errors.payout_approval_ended,
  errors.payout_approval_in_doubt,
  errors.payout_approval_own,
  commonErrors.confirmation_required,
]
const WHO =
  'An owner or a finance member answers, in the live environment with a confirmed session (`POST /auth/confirm`), and never the person who asked.'

/** Payouts with a second person: see `PATCH /payout-controls`. */
export const approvalRouter = {
  list: query({
    rest: 'GET /payout-approvals',
    access: 'read',
    tag,
    summary: 'List payout approvals',
    description:
      'cNGN payouts, withdrawals and converts out that need, or needed, a second person. At most 200, newest first. `total` counts all.',
    message: 'Payout approvals retrieved',
    input: PayoutApprovalsInput,
    output: PayoutApprovals,
    run: listApprovals,
  }),
  approve: command({
    rest: 'POST /payout-approvals/{approvalId}/approve',
    access: 'session',
    role: 'finance',
    tag,
    summary: 'Approve a payout',
    description: `Sends it. ${WHO} A convert is quoted anew, and its destination must still be among those allowed.`,
    message: 'Payout approved',
    input: PayoutApprovalId,
    output: PayoutApproval,
    errors: [
      ...answers,
      ledgerErrors.payout_destination_refused,
      errors.cngn_provider_failed,
      errors.cngn_provider_unavailable,
      errors.cngn_provider_busy,
    ],
    callsProvider: true,
    before: prepareApproval,
    run: async (unit, { approvalId }, prepared) => presentApproval(await approve(unit, approvalId, prepared)),
  }),
  reject: command({
    rest: 'POST /payout-approvals/{approvalId}/reject',
    access: 'session',
    role: 'finance',
    tag,
    summary: 'Reject a payout',
    description: `It fails with \`approval_rejected\`, and its money is back in the balance. ${WHO}`,
    message: 'Payout rejected',
    input: PayoutApprovalId,
    output: PayoutApproval,
    errors: answers,
    run: async (unit, { approvalId }) => presentApproval(await reject(unit, approvalId)),
  }),
}
