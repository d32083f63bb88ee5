import type { Outputs } from '@payments/client'
import { useMutation } from '@tanstack/react-query'
import { queries } from '../../../api.ts'
import { usePlace } from '../../../context.ts'
import { ChangeButton } from '../../../parts/forms/change.tsx'
import { Outcome } from '../../../parts/forms/confirm.tsx'
import { Time } from '../../../parts/parts.tsx'

type Sent = Pick<Outputs['cngn']['payouts']['get'], 'approval' | 'providerOutcome'>
type Answer = 'approve' | 'reject'

const ENDED = {
  approved: 'A second person approved it.',
  rejected: 'A second person rejected it. The money is back in the balance.',
  expired: 'Nobody approved it in time. The money is back in the balance.',
} as const

/** Whether a second person must approve it, with the buttons to answer. Who asked for it sees why another member must. */
export function ApprovalPart({ of: { approval, providerOutcome } }: { of: Sent }) {
  const { environment, api, me } = usePlace()
  const answer = useMutation({
    mutationFn: (how: Answer) => {
      const of = { approvalId: approval?.id ?? '' }
      return how === 'approve' ? api.payoutApprovals.approve.mutate(of) : api.payoutApprovals.reject.mutate(of)
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: [environment] }),
  })
  if (!approval) return null
  const isOwn = approval.requestedBy === me.user.id
  const isInDoubt = providerOutcome === 'unknown'
  return (
    <section className="card" aria-labelledby="approval">
      <h2 id="approval">Approval</h2>
      {approval.status === 'waiting' ? (
        <>
          <p>
            <span className="status neutral">Waiting for approval</span> Nothing is sent before. Without an answer it
            fails on <Time at={approval.expiresAt} />, and the money is back in the balance.
          </p>
          {isInDoubt && (
            <p className="note">
              The service was restored from a backup. We are checking with the provider whether this was sent already;
              then you can answer.
            </p>
          )}
          {isOwn && <p className="note">You asked for it, so another owner or finance member must answer.</p>}
          {answer.error && (
            <Outcome error={answer.error} again={() => answer.variables && answer.mutate(answer.variables)} />
          )}
          <div className="actions">
            <ChangeButton
              calls="payoutApprovals.approve"
              type="button"
              className="primary"
              disabled={isOwn || isInDoubt || answer.isPending}
              onClick={() => answer.mutate('approve')}
            >
              Approve
            </ChangeButton>
            <ChangeButton
              calls="payoutApprovals.reject"
              type="button"
              className="danger"
              disabled={isOwn || isInDoubt || answer.isPending}
              onClick={() => answer.mutate('reject')}
            >
              Reject
            </ChangeButton>
          </div>
        </>
      ) : (
        <p>{ENDED[approval.status]}</p>
      )}
    </section>
  )
}
