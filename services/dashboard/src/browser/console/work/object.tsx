import { useMutation } from '@tanstack/react-query'
import { Link, useParams } from 'wouter'
import { usePlace } from '../../context.ts'
import { words } from '../../parts/format.ts'
import { saveText } from '../../parts/forms/files.ts'
import { currencyOf, titleOf } from '../../parts/object/fields.ts'
import { Raw } from '../../parts/object/raw.tsx'
import { TimelineEntries } from '../../parts/object/timeline.tsx'
import { Failure, Screen, Status, Time } from '../../parts/parts.tsx'
import { CommandLink, Environment, Facts, Value } from '../parts/facts.tsx'
import { organisationPath } from '../parts/links.ts'
import { Shown, useCommands, useRead } from '../parts/reads.tsx'

/** An object of any organisation: as its merchant sees it, what an operator can do with it, and its timeline. */
export function ObjectScreen() {
  const { id = '' } = useParams<{ id: string }>()
  const { api } = usePlace()
  const object = useRead(['object', id], async () => {
    const found = await api.admin.objects.get.query({ id })
    const [organisation, { objects }] = await Promise.all([
      api.admin.organisations.get.query({ organisationId: found.organisationId }),
      api.admin.attention.list.query({ organisationId: found.organisationId }),
    ])
    return { ...found, organisation, needs: objects.filter((each) => each.id === found.id) }
  })
  const customerId = object.data?.object.customerId
  const customer = useRead(['object', customerId], () => api.admin.objects.get.query({ id: String(customerId) }), {
    ...{ enabled: typeof customerId === 'string', byClock: false },
  })
  const name = customer.data?.object.name
  const customerName = customer.data && typeof name === 'string' ? { [customer.data.id]: name } : {}
  const report = useMutation({
    mutationFn: async () =>
      saveText(`support-${id}.json`, 'application/json', [
        JSON.stringify(await api.admin.support.query({ id }), null, 2),
      ]),
  })
  return (
    <Screen
      title={object.data ? words(object.data.kind) : 'Object'}
      actions={
        <button type="button" disabled={report.isPending} onClick={() => report.mutate()}>
          Report for support
        </button>
      }
    >
      <Failure error={report.error} />
      <Shown of={object}>
        {({ kind, organisation, organisationId, environment, parameter, commands, object: shown, needs }) => (
          <>
            <p className="main-amount">
              {typeof shown.status === 'string' && <Status of={shown.status} />} <Environment of={environment} />
              <Link href={organisationPath(organisationId)}>{organisation.name}</Link>
            </p>
            {needs.map(({ kind: needing, condition, reason, since }) => (
              <p key={`${needing} ${condition}`} className="note">
                {words(condition)}: {words(reason ?? '')}, since <Time at={since} />
              </p>
            ))}
            {parameter && <Commands names={commands} fields={{ [parameter]: id, organisationId, environment }} />}
            <Facts
              of={shown}
              within={currencyOf(kind)}
              names={{ [organisationId]: organisation.name, ...customerName }}
            />
            <OperatorsTimeline id={id} />
            <p className="actions">
              <Link href={`/audit-log?resourceId=${id}`}>Operator actions</Link>
            </p>
            <Raw value={shown} call={`GET /v1/admin/ops/objects/${id}`} token="OPERATOR_TOKEN" />
          </>
        )}
      </Shown>
      {object.error && (
        <p>
          <Link href={`/search?text=${encodeURIComponent(id)}`}>Search for it</Link>
        </p>
      )}
    </Screen>
  )
}

/** The commands that take this object, its fields filled in. */
function Commands({ names, fields }: { names: readonly string[]; fields: Readonly<Record<string, string>> }) {
  const commands = useCommands()
  const own = (commands.data ?? []).filter(({ procedure }) => names.includes(procedure.name))
  return (
    <>
      <Failure error={commands.error} />
      <div className="actions">
        {own.map((command) => {
          const taken = [...command.arguments, ...command.options].map(({ name }) => name)
          const given = Object.fromEntries(Object.entries(fields).filter(([name]) => taken.includes(name)))
          return (
            <CommandLink key={command.procedure.name} name={command.procedure.name} fields={given}>
              {command.summary}
            </CommandLink>
          )
        })}
      </div>
    </>
  )
}

/** What happened to it, with what only operators may know. */
function OperatorsTimeline({ id }: { id: string }) {
  const { api } = usePlace()
  const timeline = useRead(['timeline', id], () => api.admin.timeline.get.query({ id }))
  return (
    <section aria-label="Timeline">
      <h2>Timeline</h2>
      <Shown of={timeline}>
        {({ entries, total }) => (
          <>
            {total > entries.length && (
              <p className="hint">
                The newest {entries.length} of {total.toLocaleString('en')}
              </p>
            )}
            <TimelineEntries
              of={entries}
              more={({ details, kind, id: entry }) =>
                Object.keys(details).length > 0 && (
                  <details>
                    <summary aria-label={`Details of ${words(kind)} ${entry}`}>Details</summary>
                    <dl className="facts">
                      {Object.entries(details).map(([name, value]) => (
                        <div key={name} className="fact">
                          <dt>{titleOf(name)}</dt>
                          <dd>
                            <Value field={name} in={details} of={value} />
                          </dd>
                        </div>
                      ))}
                    </dl>
                    {kind === 'delivery_attempt' && (
                      <CommandLink name="admin.webhooks.readDelivery" fields={{ deliveryId: entry }}>
                        Read the delivery and its replies
                      </CommandLink>
                    )}
                  </details>
                )
              }
            />
          </>
        )}
      </Shown>
    </section>
  )
}
