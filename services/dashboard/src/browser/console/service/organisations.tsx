import { Link, useParams } from 'wouter'
import { usePlace } from '../../context.ts'
import { words } from '../../parts/format.ts'
import { Screen, Status, Time } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'
import { CommandLink, Environment } from '../parts/facts.tsx'
import { organisationPath } from '../parts/links.ts'
import { Shown, useRead } from '../parts/reads.tsx'
import { Holdings } from './holdings.tsx'

/** The newest organisations. The search finds every other one. */
export function OrganisationList() {
  const { api } = usePlace()
  const list = useRead(['organisations'], () => api.admin.organisations.list.query({}))
  return (
    <Screen title="Organisations">
      <Shown of={list}>
        {({ organisations, total }) => (
          <>
            <p className="hint">
              {total > organisations.length
                ? `The newest ${organisations.length} of ${total.toLocaleString('en')}: search for others by name`
                : `${total} ${total === 1 ? 'organisation' : 'organisations'}, newest first`}
            </p>
            <Table
              label="Organisations"
              rows={organisations}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Name', cell: ({ id, name }) => <Link href={organisationPath(id)}>{name}</Link> },
                { title: 'Status', cell: ({ status }) => <Status of={status} /> },
                {
                  title: 'Live',
                  cell: ({ operator, liveEnabled }) =>
                    operator ? 'Operators' : liveEnabled ? 'Enabled' : 'Not enabled',
                },
                { title: 'Id', cell: ({ id }) => <code>{id}</code> },
                { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
              ]}
            />
          </>
        )}
      </Shown>
    </Screen>
  )
}

/** One organisation: its people, sessions and keys, and what an operator may do to it. */
export function OrganisationScreen() {
  const { id = '' } = useParams<{ id: string }>()
  const { api } = usePlace()
  const organisation = useRead(['organisation', id], () => api.admin.organisations.get.query({ organisationId: id }))
  const fields = { organisationId: id }
  return (
    <Screen title={organisation.data?.name ?? 'Organisation'}>
      <Shown of={organisation}>
        {({ operator, status, liveEnabled, suspendedAt, suspensionReason, movedTo, createdAt, members }) => (
          <>
            {movedTo !== null && (
              <p className="hint">It has moved to cell {movedTo}: operators of that cell look after it.</p>
            )}
            {!operator && movedTo === null && (
              <div className="actions">
                {status === 'active' ? (
                  <CommandLink name="admin.organisations.suspend" fields={fields}>
                    Suspend
                  </CommandLink>
                ) : (
                  <CommandLink name="admin.organisations.reactivate" fields={fields}>
                    Lift the suspension
                  </CommandLink>
                )}
                {!liveEnabled && (
                  <CommandLink name="admin.organisations.enableLive" fields={fields}>
                    Enable live access
                  </CommandLink>
                )}
                <CommandLink name="admin.webhooks.replay" fields={fields}>
                  Send missed events again
                </CommandLink>
              </div>
            )}
            <dl className="facts">
              <dt>Status</dt>
              <dd>
                <Status of={status} />
              </dd>
              {suspendedAt && (
                <>
                  <dt>Suspended</dt>
                  <dd>
                    <Time at={suspendedAt} /> {suspensionReason}
                  </dd>
                </>
              )}
              <dt>Live access</dt>
              <dd>{liveEnabled ? 'Enabled' : 'Not enabled'}</dd>
              <dt>Id</dt>
              <dd>
                <code>{id}</code>
              </dd>
              <dt>Created</dt>
              <dd>
                <Time at={createdAt} />
              </dd>
            </dl>
            <p className="actions">
              <Link href={`/?organisationId=${id}`}>What needs attention</Link>
              <Link href={`/ledger/accounts?organisationId=${id}`}>Ledger accounts</Link>
              <Link href={`/audit-log?organisationId=${id}`}>Audit log</Link>
            </p>
            <Holdings organisationId={id} />
            <section aria-label="Members">
              <h2>Members</h2>
              {members.length === 0 && <p className="hint">It has no members.</p>}
              <Table
                label="People"
                rows={members}
                keyOf={({ userId }) => userId}
                columns={[
                  { title: 'Email', cell: ({ email }) => email },
                  { title: 'Role', cell: ({ role }) => role },
                ]}
              />
            </section>
            <Sessions organisationId={id} />
            <Keys organisationId={id} />
          </>
        )}
      </Shown>
    </Screen>
  )
}

function Sessions({ organisationId }: { organisationId: string }) {
  const { api } = usePlace()
  const sessions = useRead(['sessions', organisationId], () =>
    api.admin.organisations.sessions.query({ organisationId }),
  )
  return (
    <section aria-label="Sessions">
      <h2>Sessions</h2>
      <Shown of={sessions}>
        {({ sessions: found }) =>
          found.length === 0 ? (
            <p className="hint">Nobody is signed in.</p>
          ) : (
            <Table
              label="Active sessions"
              rows={found}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Email', cell: ({ email }) => email },
                { title: 'Device', cell: ({ device }) => <span className="why">{device ?? '–'}</span> },
                { title: 'Address', cell: ({ address }) => address ?? '–' },
                { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : '–') },
                {
                  title: 'Action',
                  cell: ({ id, email }) => (
                    <CommandLink
                      name="admin.organisations.endSession"
                      fields={{ organisationId, sessionId: id }}
                      label={`End the session ${id} of ${email}`}
                    >
                      End
                    </CommandLink>
                  ),
                },
              ]}
            />
          )
        }
      </Shown>
    </section>
  )
}

function Keys({ organisationId }: { organisationId: string }) {
  const { api } = usePlace()
  const keys = useRead(['keys', organisationId], () => api.admin.organisations.apiKeys.query({ organisationId }))
  return (
    <section aria-label="API keys">
      <h2>API keys</h2>
      <Shown of={keys}>
        {({ apiKeys }) =>
          apiKeys.length === 0 ? (
            <p className="hint">It has no keys.</p>
          ) : (
            <Table
              label="Keys"
              rows={apiKeys}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'Name',
                  cell: ({ name, maskedKey }) => (
                    <>
                      {name} <code>{maskedKey}</code>
                    </>
                  ),
                },
                { title: 'Environment', cell: ({ environment }) => <Environment of={environment} /> },
                {
                  title: 'Access',
                  cell: ({ access, scopes }) => (
                    <span className="why">{access ? words(access) : scopes.join(', ')}</span>
                  ),
                },
                { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'Never') },
                {
                  title: 'Action',
                  cell: ({ id, name, revokedAt }) =>
                    revokedAt ? (
                      <span className="status bad">revoked</span>
                    ) : (
                      <CommandLink
                        name="admin.organisations.revokeKey"
                        fields={{ organisationId, apiKeyId: id }}
                        label={`Revoke ${name}`}
                      >
                        Revoke
                      </CommandLink>
                    ),
                },
              ]}
            />
          )
        }
      </Shown>
    </section>
  )
}
