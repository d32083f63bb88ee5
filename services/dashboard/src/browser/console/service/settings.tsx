import { usePlace } from '../../context.ts'
import { Empty, Screen, Time } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'
import { CommandLink, Described } from '../parts/facts.tsx'
import { Shown, useRead } from '../parts/reads.tsx'

/** The settings of the process that answers. Of texts, which may be secrets, only whether they are set. */
export function Settings() {
  const { api } = usePlace()
  const settings = useRead(['settings'], () => api.admin.settings.query({}), { byClock: false })
  return (
    <Screen title="Settings in force">
      <CellList />
      <p className="hint">Of the process that answers. Of texts, which may be secrets, only whether they are set.</p>
      <Shown of={settings}>
        {({ settings: found }) => (
          <dl className="facts settings">
            {found.map(({ name, value, description }) => (
              <div key={name} className="fact">
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>
                  {value === null ? <span className="hint">not set</span> : <strong>{value}</strong>}
                  <p className="hint">
                    <Described text={description} />
                  </p>
                </dd>
              </div>
            ))}
          </dl>
        )}
      </Shown>
    </Screen>
  )
}

/** The installations behind one address; nothing where there is one alone. */
function CellList() {
  const { api } = usePlace()
  const cells = useRead(['cells'], () => api.admin.cells.query({}), { byClock: false })
  return (
    <Shown of={cells}>
      {({ cell, others }) =>
        others.length > 0 && (
          <section aria-label="Cells">
            <h2>Cells</h2>
            <p className="hint">This is cell {cell}.</p>
            <Table
              label="Other cells"
              rows={others}
              keyOf={(other) => String(other.cell)}
              columns={[
                { title: 'Cell', cell: (other) => other.cell },
                { title: 'Address', cell: ({ address }) => <a href={address}>{address}</a> },
                {
                  title: 'Status',
                  cell: ({ answers, answer }) => (
                    <span className={answers ? 'status good' : 'status bad'}>{answer}</span>
                  ),
                },
              ]}
            />
          </section>
        )
      }
    </Shown>
  )
}

/** Credentials of tools that run unattended. */
export function Tokens() {
  const { api } = usePlace()
  const tokens = useRead(['tokens'], () => api.admin.internalTokens.list.query({}), { byClock: false })
  return (
    <Screen title="Internal tokens" actions={<CommandLink name="admin.internalTokens.create">New token</CommandLink>}>
      <Shown of={tokens}>
        {({ internalTokens }) =>
          internalTokens.length === 0 ? (
            <Empty title="No tool has a token">
              <p>A token lets a script call the procedures that it lists, and never one that moves money.</p>
            </Empty>
          ) : (
            <Table
              label="Tokens"
              rows={internalTokens}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'Name',
                  cell: ({ name, maskedToken }) => (
                    <>
                      {name} <code>{maskedToken}</code>
                    </>
                  ),
                },
                { title: 'Procedures', cell: ({ procedures }) => <span className="why">{procedures.join(', ')}</span> },
                { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'Never') },
                {
                  title: 'Ends',
                  cell: ({ expiresAt, revokedAt }) =>
                    revokedAt ? <span className="status bad">revoked</span> : <Time at={expiresAt} />,
                },
                {
                  title: 'Action',
                  cell: ({ id, name, revokedAt }) =>
                    revokedAt ? (
                      '–'
                    ) : (
                      <CommandLink
                        name="admin.internalTokens.revoke"
                        fields={{ internalTokenId: id }}
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
    </Screen>
  )
}
