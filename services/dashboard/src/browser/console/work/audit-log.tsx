import type { FormEvent } from 'react'
import { useSearchParams } from 'wouter'
import { usePlace } from '../../context.ts'
import { currencyOf } from '../../parts/object/fields.ts'
import { Empty, Screen, Time } from '../../parts/parts.tsx'
import { Changes } from '../parts/changes.tsx'
import { Environment, Facts, Organisation, Value } from '../parts/facts.tsx'
import { Shown, useRead } from '../parts/reads.tsx'

const FILTERS = [
  ['email', 'Operator'],
  ['organisationId', 'Organisation'],
  ['resourceId', 'Object'],
] as const

/** What operators did: who, when, why, and what it changed. */
export function AuditLog() {
  const { api } = usePlace()
  const [search, setSearch] = useSearchParams()
  const given = [...FILTERS.map(([name]) => name), 'operation', 'before'].flatMap((name) => {
    const value = search.get(name)
    return value ? [[name, value] as const] : []
  })
  const filter: Readonly<Record<string, string>> = Object.fromEntries(given)
  const log = useRead(['audit-log', filter], () => api.admin.auditLog.query(filter), { byClock: false })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const next = FILTERS.map(([name]) => [name, String(form.get(name) ?? '').trim()] as [string, string])
    setSearch(new URLSearchParams(next.filter(([, value]) => value !== '')))
  }
  return (
    <Screen title="Audit log">
      <form key={search.toString()} className="filters" onSubmit={submit}>
        {FILTERS.map(([name, title]) => (
          <label key={name}>
            {title}
            <input name={name} defaultValue={filter[name] ?? ''} placeholder={name === 'email' ? 'Email' : 'Id'} />
          </label>
        ))}
        <button type="submit">Filter</button>
      </form>
      <Shown of={log}>
        {({ entries, total }) =>
          entries.length === 0 ? (
            <Empty title="Nothing was done">
              <p>Every command of an operator is kept here, with the reason. Nothing in it can be changed.</p>
            </Empty>
          ) : (
            <>
              <p className="hint" role="status">
                {total.toLocaleString('en')} {total === 1 ? 'entry' : 'entries'}, newest first
              </p>
              <ul className="rows">
                {entries.map((entry) => (
                  <li key={entry.id}>
                    <Time at={entry.at} precise />
                    <strong>{entry.summary}</strong>
                    <span>{entry.email ?? 'The service'}</span>
                    {entry.reason && <q>{entry.reason}</q>}
                    {entry.environment && <Environment of={entry.environment} />}
                    {entry.organisationId && <Organisation id={entry.organisationId} />}
                    <details>
                      <summary aria-label={`What it changed: ${entry.summary}`}>What it changed</summary>
                      <dl className="facts">
                        <dt>Object</dt>
                        <dd>
                          <Value of={entry.resourceId} />
                        </dd>
                        {entry.tokenId && (
                          <>
                            <dt>Internal token</dt>
                            <dd>{entry.tokenId}</dd>
                          </>
                        )}
                        {entry.requestedBy && (
                          <>
                            <dt>Requested by</dt>
                            <dd>{entry.requestedBy}</dd>
                          </>
                        )}
                      </dl>
                      <h3>Input</h3>
                      <Facts of={entry.input} within={currencyOf(entry.operation)} />
                      <Changes before={entry.before} after={entry.after} within={currencyOf(entry.operation)} />
                    </details>
                  </li>
                ))}
              </ul>
              {total > entries.length && (
                <button
                  type="button"
                  onClick={() => setSearch(new URLSearchParams({ ...filter, before: entries.at(-1)?.at ?? '' }))}
                >
                  Show older
                </button>
              )}
            </>
          )
        }
      </Shown>
    </Screen>
  )
}
