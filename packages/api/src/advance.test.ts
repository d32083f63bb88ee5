import { anonymous } from '@payments/kernel'
import { unitOfWork } from '@payments/platform'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connected, useService } from '#testing'
import { everyDomain } from './process.ts'

const service = useService()
/** Of the organisation, and of everything else: so every row refers to every other. */
const ID = '01936f2a-7c1e-7000-8000-0000000000aa'
const TIME = "date_trunc('second', now()) + interval '1 hour'"
/** The sandbox's own record of a bank account, of which there is one for each organisation: it has no live rows. */
const SANDBOX_ONLY = ['sandbox_cngn_transactions']

interface Column {
  name: string
  type: string
  required: boolean
}
let owner: Awaited<ReturnType<typeof connected>>
let tables: Map<string, Column[]>
let statuses: string[]

beforeAll(async () => {
  owner = await connected(service)
  const { rows: checks } = await owner.query<{ text: string }>(
    "select pg_get_constraintdef(oid) as text from pg_constraint where contype = 'c' and pg_get_constraintdef(oid) like '%status%'",
  )
  statuses = [
    ...new Set(checks.flatMap(({ text }) => [...text.matchAll(/'(\w+)'::/g)].map((match) => match[1] as string))),
  ]
  const { rows } = await owner.query(
    `select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type, a.attnotnull as required
       from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = ''
        and c.relname not in ('migrations', 'append_only_tables') order by 1, a.attnum`,
  )
  tables = Map.groupBy(rows, (row) => row.table) as Map<string, Column[]>
  await removeRules()
})
afterAll(() => owner.end())

/** Only the statements of `advance` are of interest here: any row may exist. */
async function removeRules(): Promise<void> {
  await owner.query(`do $$ declare each record; begin
    for each in select conrelid::regclass as t, conname from pg_constraint
                 where connamespace = 'public'::regnamespace and contype in ('f', 'c', 'u', 'p', 'x') and conparentid = 0
                 order by contype = 'p', contype = 'u' loop
      execute format('alter table %s drop constraint if exists %I cascade', each.t, each.conname); end loop;
    for each in select indexrelid::regclass as i from pg_index join pg_class c on c.oid = indexrelid
                 where indisunique and c.relnamespace = 'public'::regnamespace and not c.relispartition loop
      execute format('drop index if exists %s cascade', each.i); end loop;
    for each in select tgrelid::regclass as t, tgname from pg_trigger where not tgisinternal and tgparentid = 0 loop
      execute format('drop trigger if exists %I on %s', each.tgname, each.t); end loop;
  end $$`)
}

/** Rows of the environment in every table, in every status, with and without what may be null. */
async function fill(environment: 'test' | 'live'): Promise<void> {
  for (const [table, columns] of tables) {
    await owner.query(`delete from "${table}"`)
    const own = columns.some(({ name, type }) => name === 'status' && type === 'text') ? statuses : ['pending']
    for (const status of own)
      for (const whole of [true, false]) {
        const values = columns.map((column) => sqlValueOf(column, { environment, status, whole }))
        await owner.query(
          `insert into "${table}" (${columns.map(({ name }) => `"${name}"`).join(', ')}) values (${values.join(', ')})`,
        )
      }
  }
}

function sqlValueOf(
  { name, type, required }: Column,
  { environment, status, whole }: { environment: string; status: string; whole: boolean },
): string {
  if (name === 'environment') return `'${environment}'`
  if (name === 'status' && type === 'text') return `'${status}'`
  if (type.endsWith('[]')) return `'{}'`
  if (type.startsWith('timestamp')) return TIME
  if (!required && !whole) return 'null'
  if (type === 'uuid') return `'${ID}'`
  if (type === 'jsonb' || type === 'json') return `'{}'`
  if (type === 'boolean') return 'false'
  if (type === 'date') return 'current_date'
  if (type === 'bytea') return `'\\x00'`
  if (/int|numeric|double/.test(type)) return '1'
  return `'${ID}'`
}

/** How often each table has which times. */
async function times(): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const [table, columns] of tables) {
    const of = columns
      .filter(({ type }) => type.startsWith('timestamp') && !type.endsWith('[]'))
      .map(({ name }) => `"${name}"`)
    if (of.length === 0) continue
    const { rows } = await owner.query(
      `select ${of.join(', ')}, count(*) from "${table}" group by ${of.join(', ')} order by ${of.join(', ')}`,
    )
    found.set(table, JSON.stringify(rows))
  }
  return found
}

/** The tables whose times a domain's `advance` moves for the organisation's test environment. */
async function moved(environment: 'test' | 'live', name: string): Promise<string[]> {
  await fill(environment)
  const before = await times()
  const domain = everyDomain.find((each) => each.name === name)
  const actor = { ...anonymous, organisationId: ID, environment: 'test' as const }
  await unitOfWork({ runtime: service.runtime, actor, log: service.runtime.log }, (unit) =>
    Promise.resolve(domain?.api?.sandbox?.advance?.(unit, 600)),
  )
  const after = await times()
  return [...before].flatMap(([table, rows]) => (after.get(table) === rows ? [] : [table]))
}

const names = everyDomain.flatMap(({ name, api }) => (api?.sandbox?.advance ? [name] : []))

test.each(names)('the sandbox clock of %s moves times of the test environment, and none of live rows', async (name) => {
  expect((await moved('test', name)).length).toBeGreaterThan(0)
  expect((await moved('live', name)).filter((table) => !SANDBOX_ONLY.includes(table))).toEqual([])
})

test('every domain whose sandbox has a clock is held to this', () => {
  expect(names).toEqual(expect.arrayContaining(['cngn', 'collections', 'fiat', 'swaps', 'webhooks']))
})
