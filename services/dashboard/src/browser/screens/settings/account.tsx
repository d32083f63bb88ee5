import { useMutation } from '@tanstack/react-query'
import { queries, session } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { Failure, Screen } from '../../parts/parts.tsx'

/** Who is signed in, and how to end the session. */
export function Account() {
  const { me } = usePlace()
  const end = useMutation({
    mutationFn: session.end,
    // Nothing that the session has read stays in memory.
    onSuccess: () => {
      queries.clear()
      location.assign('/dashboard')
    },
  })
  return (
    <Screen title="Account">
      <dl className="facts">
        <dt>Email address</dt>
        <dd>{me.user.email}</dd>
        <dt>Organisation</dt>
        <dd>{me.organisation.name}</dd>
        <dt>Role</dt>
        <dd>{me.organisation.role}</dd>
      </dl>
      <Failure error={end.error} />
      <div className="actions">
        <button type="button" disabled={end.isPending} onClick={() => end.mutate(false)}>
          Sign out
        </button>
        <button type="button" disabled={end.isPending} onClick={() => end.mutate(true)}>
          Sign out everywhere
        </button>
      </div>
      <p className="hint">Signing out everywhere ends your sessions on all devices. API keys keep working.</p>
    </Screen>
  )
}
