import type { FormEvent } from 'react'
import { Link, useSearchParams } from 'wouter'
import { usePlace } from '../../context.ts'
import { words } from '../../parts/format.ts'
import { Empty, Screen, Status } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'
import { Environment, Organisation } from '../parts/facts.tsx'
import { objectPath, organisationPath } from '../parts/links.ts'
import { Shown, useRead } from '../parts/reads.tsx'

/** What the service searches for at least. */
const SHORTEST = 3

/** Objects and organisations by what they are known by, over all organisations. */
export function Search() {
  const { api } = usePlace()
  const [search, setSearch] = useSearchParams()
  const text = (search.get('text') ?? '').trim()
  const found = useRead(
    ['search', text],
    async () => {
      const [{ objects }, organisations] = await Promise.all([
        api.admin.search.query({ text }),
        api.admin.organisations.search.query({ text }),
      ])
      return { objects, organisations: organisations.organisations }
    },
    { enabled: text.length >= SHORTEST, byClock: false },
  )
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setSearch({ text: String(new FormData(event.currentTarget).get('text') ?? '').trim() })
  }
  return (
    <Screen title="Search">
      <form key={text} className="search" onSubmit={submit}>
        <input name="text" type="search" aria-label="Text to search for" defaultValue={text} required />
        <button type="submit" className="primary">
          Search
        </button>
      </form>
      {text.length < SHORTEST ? (
        <Empty title="Search all organisations">
          <p>
            By an id, an id of a provider, a transaction hash, an address, a reference or an email address, in full; and
            organisations by their name.
          </p>
        </Empty>
      ) : (
        <Shown of={found}>
          {({ objects, organisations }) => (
            <>
              {objects.length === 0 && organisations.length === 0 && (
                <Empty title="Nothing was found">
                  <p>Objects are found by the whole text. Check that nothing of it is missing.</p>
                </Empty>
              )}
              {organisations.length > 0 && (
                <section aria-label="Organisations">
                  <h2>Organisations</h2>
                  <Table
                    label="Found organisations"
                    rows={organisations}
                    keyOf={({ id }) => id}
                    columns={[
                      { title: 'Name', cell: ({ id, name }) => <Link href={organisationPath(id)}>{name}</Link> },
                      { title: 'Status', cell: ({ status }) => <Status of={status} /> },
                      { title: 'Id', cell: ({ id }) => <code>{id}</code> },
                    ]}
                  />
                </section>
              )}
              {objects.length > 0 && (
                <section aria-label="Objects">
                  <h2>Objects</h2>
                  <Table
                    label="Found objects"
                    rows={objects}
                    keyOf={({ kind, id, matched }) => `${kind} ${id} ${matched}`}
                    columns={[
                      {
                        title: 'Object',
                        cell: ({ kind, id }) => <Link href={objectPath(kind, id)}>{words(kind)}</Link>,
                      },
                      { title: 'Id', cell: ({ id }) => <code>{id}</code> },
                      { title: 'Found by', cell: ({ matched }) => words(matched) },
                      { title: 'Environment', cell: ({ environment }) => <Environment of={environment} /> },
                      { title: 'Organisation', cell: ({ organisationId }) => <Organisation id={organisationId} /> },
                    ]}
                  />
                </section>
              )}
            </>
          )}
        </Shown>
      )}
    </Screen>
  )
}
