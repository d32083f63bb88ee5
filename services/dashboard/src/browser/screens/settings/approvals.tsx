import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import { ConfirmedForm, Outcome } from '../../parts/forms/confirm.tsx'
import { Amount, Dialog, Failure } from '../../parts/parts.tsx'

/** From how much a day on payouts need a second person, and those that wait for one. */
export function Approvals({ from }: { from: string | undefined }) {
  const { environment, api } = usePlace()
  const [changing, setChanging] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'waiting-approvals'],
    queryFn: () => api.payoutApprovals.list.query({ status: 'waiting' }),
  })
  const renew = () => queries.invalidateQueries({ queryKey: [environment] })
  const change = (cNGN: string | null) =>
    api.payoutControls.change.mutate({ approval: { from: cNGN === null ? null : { cNGN } } })
  const end = useMutation({ mutationFn: () => change(null), onSuccess: renew })
  const waiting = data?.approvals ?? []
  return (
    <>
      <h3>Approval by a second person</h3>
      <p>
        {from === undefined ? (
          'Payouts are sent without an approval.'
        ) : (
          <>
            cNGN payouts, withdrawals and converts that bring a day to <Amount of={`${from} cNGN`} /> or more wait for a
            second person.
          </>
        )}
      </p>
      <Failure error={error} retry={() => void refetch()} />
      {waiting.length > 0 && (
        <ul className="rows" aria-label="Payouts waiting for approval">
          {waiting.map(({ id, kind, amount, destination }) => (
            <li key={id}>
              <Link href={`/cngn/${kind}s/${id}`}>
                <Amount of={`${amount} cNGN`} /> to {destination}
              </Link>
              <span className="status neutral">Waiting for approval</span>
            </li>
          ))}
        </ul>
      )}
      {end.error && <Outcome error={end.error} again={() => end.mutate()} />}
      <div className="actions">
        <ChangeButton calls="payoutControls.change" type="button" onClick={() => setChanging(true)}>
          {from === undefined ? 'Require approval' : 'Change the amount'}
        </ChangeButton>
        {from !== undefined && (
          <ChangeButton
            calls="payoutControls.change"
            type="button"
            disabled={end.isPending}
            onClick={() => end.mutate()}
          >
            Send without approval
          </ChangeButton>
        )}
      </div>
      {changing && (
        <Dialog title="Require approval" close={() => setChanging(false)}>
          <ConfirmedForm
            calls="payoutControls.change"
            label="Save"
            fields={() => [
              { name: 'from', label: 'From how much a day (cNGN)', amount: { currency: 'cNGN', decimals: 6 } },
            ]}
            submit={(values) => change(String(values.from))}
            done={() => void renew().then(() => setChanging(false))}
          />
        </Dialog>
      )}
    </>
  )
}
