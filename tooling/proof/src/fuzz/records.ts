import { amountText } from '@payments/kernel'
import { domainsOf, type Resource, type Runtime } from '@payments/platform'

type AnyRow = { readonly id: string; readonly status: string; readonly updatedAt: Date }
// biome-ignore lint/suspicious/noExplicitAny: row types differ, and every resource is looked at in the same way
type AnyResource = Resource<any, string, string>

/**
 * Changes that were written in part: an object without the event of its creation or of its status, or one that the list of transactions
 * does not show as it is. `checked` counts objects.
 */
export async function recordProblems(runtime: Pick<Runtime, 'orm' | 'pool' | 'domains'>): Promise<{
  readonly problems: readonly string[]
  readonly checked: number
}> {
  const problems: string[] = []
  let checked = 0
  for (const of of tablesOf(runtime.domains)) {
    const rows = await rowsOf(runtime, of)
    checked += rows.length
    problems.push(...(await eventProblems(runtime, of, rows)), ...(await listProblems(runtime, of, rows)))
  }
  return { problems, checked }
}

/** The resources that announce their changes or are listed, one of each table: kinds that share a table have the same rules. */
function tablesOf(domains: Runtime['domains']): (AnyResource & { readonly types: readonly string[] })[] {
  const all = domainsOf({ domains }).flatMap(({ data }) => [...(data?.resources ?? [])] as AnyResource[])
  const visible = all.filter(({ events, entry }) => events || entry)
  const typesOf = (table: string) =>
    visible.flatMap((each) => (each.table === table && each.events ? [each.events.created, each.events.updated] : []))
  const first = new Map(visible.toReversed().map((each) => [each.table, each]))
  return [...first.values()].map((each) => ({ ...each, types: typesOf(each.table) }))
}

const rowsOf = ({ orm }: Pick<Runtime, 'orm'>, { entity, filters }: AnyResource): Promise<AnyRow[]> =>
  orm.em
    .fork()
    .find(
      entity as never,
      {},
      { filters: { ...(filters as object), tenant: false }, disableIdentityMap: true },
    ) as Promise<AnyRow[]>

async function eventProblems(
  { pool }: Pick<Runtime, 'pool'>,
  { machine, types }: AnyResource & { readonly types: readonly string[] },
  rows: readonly AnyRow[],
): Promise<string[]> {
  if (types.length === 0) return []
  const { rows: found } = await pool.query<{ id: string; created: boolean; status: string }>(
    `select distinct on (resource_id) resource_id as id, payload #>> '{data,status}' as status,
            bool_or(payload #>> '{data,previousStatus}' is null) over (partition by resource_id) as created
       from events where resource_id = any($1) and type = any($2)
      order by resource_id, (payload #>> '{data,updatedAt}')::timestamptz desc, id desc`,
    [rows.map(({ id }) => id), types],
  )
  const last = new Map(found.map((event) => [event.id, event]))
  return rows.flatMap(({ id, status }) => {
    const event = last.get(id)
    if (!event?.created) return `${machine.name} ${id} has no event of its creation`
    return event.status === status ? [] : `${machine.name} ${id} is ${status}, its last event says ${event.status}`
  })
}

async function listProblems(
  { pool }: Pick<Runtime, 'pool'>,
  { entry, machine }: AnyResource,
  rows: readonly AnyRow[],
): Promise<string[]> {
  if (!entry) return []
  const { rows: listed } = await pool.query<{
    id: string
    kind: string
    status: string
    amount: string | null
    currency: string
  }>('select id, kind, status, amount::text as amount, currency from transactions where id = any($1)', [
    rows.map(({ id }) => id),
  ])
  const byId = new Map(listed.map((row) => [row.id, row]))
  return rows.flatMap((row) => {
    const expected = entry(row)
    const actual = byId.get(row.id)
    if (!expected) return []
    if (!actual) return `${machine.name} ${row.id} is not in the list of transactions`
    const same =
      actual.kind === expected.kind && actual.status === row.status && amountText(actual) === amountText(expected)
    return same
      ? []
      : `${machine.name} ${row.id} is ${row.status} of ${amountText(expected)}, the list says ${actual.status} of ${amountText(actual)}`
  })
}
