import { useMutation, useQuery } from '@tanstack/react-query'
import { clients, queries } from '../../api.ts'
import { Failure, Time } from '../../parts/parts.tsx'

const { auth } = clients.test
const KEY = ['received-invitations']

/** Invitations to other organisations, which the user accepts or declines. Nothing is shown without one. */
export function ReceivedInvitations() {
  const { data, error } = useQuery({ queryKey: KEY, queryFn: () => auth.received.query({}) })
  const answer = useMutation({
    mutationFn: ({ id, accepted }: { id: string; accepted: boolean }): Promise<unknown> =>
      (accepted ? auth.accept : auth.decline).mutate({ invitationId: id }),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: KEY }),
        // The list of organisations at the top has one more.
        queries.invalidateQueries({ queryKey: ['session'] }),
      ]),
  })
  const open = data?.invitations ?? []
  if (open.length === 0) return <Failure error={error ?? answer.error} />
  return (
    <section aria-label="Invitations to you">
      <h2>Invitations to you</h2>
      <p className="hint">After accepting one, choose the organisation at the top of the page.</p>
      <Failure error={answer.error} />
      <ul className="rows">
        {open.map(({ id, organisationName, invitedBy, role, expiresAt }) => (
          <li key={id}>
            <strong>{organisationName}</strong>
            <span>
              as {role}
              {invitedBy && `, by ${invitedBy}`}
            </span>
            <span className="hint">
              Until <Time at={expiresAt} />
            </span>
            <span className="actions">
              <button
                type="button"
                className="primary"
                aria-label={`Accept the invitation of ${organisationName}`}
                disabled={answer.isPending}
                onClick={() => answer.mutate({ id, accepted: true })}
              >
                Accept
              </button>
              <button
                type="button"
                aria-label={`Decline the invitation of ${organisationName}`}
                disabled={answer.isPending}
                onClick={() => answer.mutate({ id, accepted: false })}
              >
                Decline
              </button>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
