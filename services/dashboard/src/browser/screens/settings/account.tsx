import { deviceName } from '@payments/kernel'
import { useMutation, useQuery } from '@tanstack/react-query'
import { clients, queries, signOut } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { words } from '../../parts/format.ts'
import { Failure, Screen, Skeleton, Time } from '../../parts/parts.tsx'
import { ReceivedInvitations } from './received.tsx'
import { SettingsTabs } from './tabs.tsx'
import { OrganisationTimeZone } from './time-zone.tsx'

const { auth } = clients.test

/** Who is signed in where, and how to end a session. */
export function Account() {
  const { me } = usePlace()
  const end = useMutation({
    mutationFn: (everywhere: boolean) => signOut('/dashboard', everywhere),
  })
  return (
    <Screen title="Account">
      <SettingsTabs />
      <dl className="facts">
        <dt>Email address</dt>
        <dd>{me.user.email}</dd>
        <dt>Organisation</dt>
        <dd>{me.organisation.name}</dd>
        <dt>Role</dt>
        <dd>{words(me.organisation.role)}</dd>
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
      <OrganisationTimeZone />
      <ReceivedInvitations />
      <Sessions />
    </Screen>
  )
}

/** The sessions of the user; another one is ended here. */
function Sessions() {
  const { data, error, refetch } = useQuery({ queryKey: ['sessions'], queryFn: () => auth.sessions.query({}) })
  const end = useMutation({
    mutationFn: (sessionId: string) => auth.endSession.mutate({ sessionId }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  })
  return (
    <section aria-label="Sessions">
      <h2>Sessions</h2>
      <Failure error={error ?? end.error} retry={() => void refetch()} />
      {!data && !error && <Skeleton />}
      <ul className="rows">
        {data?.sessions.map(({ id, current, device, address, lastUsedAt }) => (
          <li key={id}>
            <strong>{deviceName(device)}</strong>
            {address && <code>{address}</code>}
            {lastUsedAt && (
              <span>
                Last used <Time at={lastUsedAt} />
              </span>
            )}
            {current ? (
              <span className="status good">this one</span>
            ) : (
              <button
                type="button"
                aria-label={`End the session of ${deviceName(device)}`}
                disabled={end.isPending}
                onClick={() => end.mutate(id)}
              >
                End
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
