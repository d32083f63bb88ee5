import { merchantNameOf } from '@payments/accounts'
import { invalid, isId } from '@payments/kernel'
import { joinAmount } from '@payments/ledger'
import {
  type AttentionSource,
  type Condition,
  dollarRate,
  domainsOf,
  type QueryContext,
  type Runtime,
  type SqlExecutor,
  sqlOf,
  type UnitOfWork,
} from '@payments/platform'
import type { z } from 'zod'
import { errors } from '../errors.ts'
import type { Attention, AttentionFilter, AttentionInput, AttentionObject, AttentionRef } from '../schemas.ts'

const SHOWN = 200

type Filter = z.output<typeof AttentionFilter>
type Shown = z.input<typeof AttentionObject>
interface Row extends Omit<Shown, 'since'> {
  since: Date | string
}

type Listed = Row & Pick<z.input<typeof Attention>['objects'][number], 'merchant' | 'amount' | 'amountUsd'>

const NOTHING_HELD = 'select null::numeric as amount, null as currency, null as usd'
/** SQL: what is held of an object of `o`; else what the list of transactions, `l`, says of it. */
const AMOUNT = `select case when o.held is null then l.shown else trim_scale(o.held) || ' ' || o.currency end as shown, coalesce(o.held, l.amount) as amount,
  case when o.held is null then l.currency else o.currency end as currency, case when o.held is null then l.usd else o.usd end as usd`
/** SQL: the value of an amount in US dollars, stored or by the last rate of its currency; null where neither is known. */
const WORTH = `coalesce(a.usd::numeric, a.amount * ${dollarRate('a.currency', 'o.environment')})`
/** SQL: what amounts can be compared with each other: those of which a value is known, and those of each other currency. */
const COMPARED = `case when w.worth is null then a.currency else '' end`

const ORDERS = {
  oldest: 'o.since, o.id',
  // The largest of each group first: what has no value is not lost behind all that has.
  amount: `o.environment = 'live' desc, a.amount is null,
    row_number() over (partition by o.environment, ${COMPARED} order by coalesce(w.worth, a.amount) desc nulls last, o.since, o.id), ${COMPARED}`,
} as const

/** @throws validation_failed 422 for a kind that no domain declares */
function sourcesOf(runtime: Runtime, kind: string | undefined): readonly AttentionSource[] {
  const all = domainsOf(runtime).flatMap(({ operators }) => operators?.attention ?? [])
  const found = kind === undefined ? all : all.filter((source) => source.kind === kind)
  if (found.length === 0) throw invalid({ kind: `Must be one of ${all.map((source) => source.kind).join(', ')}` })
  return found
}

/** The objects of all sources that match, as one query with its parameters. */
function matching(sources: readonly AttentionSource[], filter: Filter): { text: string; values: unknown[] } {
  const each = sources.map(
    ({ kind, sql, held }) =>
      `select '${kind}' as kind, id, organisation_id, environment, status, condition, reason, since, h.amount as held, h.currency, h.usd
         from (${sql}) as o left join lateral (${held ?? NOTHING_HELD}) h on true`,
  )
  const text = `(${each.join(' union all ')}) as object
    where ($1::text is null or condition = $1) and ($2::uuid is null or organisation_id = $2)
      and ($3::text is null or environment = $3) and since <= now() - make_interval(mins => $4)
      and not exists (select from operator_resolutions r
        where r.kind = object.kind and r.resource_id = object.id and r.since >= date_trunc('milliseconds', object.since))`
  return {
    text,
    values: [
      filter.condition ?? null,
      filter.organisationId ?? null,
      filter.environment ?? null,
      filter.olderThanMinutes ?? 0,
    ],
  }
}

/** What needs an operator in every domain: the number of objects by kind and condition, and the first 200 with their merchants and amounts. */
export async function attention(
  context: QueryContext,
  { sort = 'oldest', ...filter }: z.output<typeof AttentionInput>,
): Promise<z.input<typeof Attention>> {
  const db = sqlOf(context.em)
  const { text, values } = matching(sourcesOf(context.runtime, filter.kind), filter)
  const { rows: counts } = await db.query<{ kind: string; condition: Condition; count: number }>(
    `select kind, condition, count(*)::int as count from ${text} group by kind, condition order by kind, condition`,
    values,
  )
  const { rows } = await db.query<Listed>(
    `select o.kind, o.id, o.organisation_id as "organisationId", o.environment, o.status, o.condition, o.reason, o.since,
            ${merchantNameOf('o')} as merchant, a.shown as amount, a.usd as "amountUsd"
       from (select * from ${text}) o ${joinAmount('l', 'o')}
            cross join lateral (${AMOUNT}) a cross join lateral (select ${WORTH} as worth) w
      order by ${ORDERS[sort]} limit ${SHOWN}`,
    values,
  )
  return {
    counts,
    objects: rows.map((row) => ({ ...row, since: new Date(row.since).toISOString() })),
    total: counts.reduce((sum, { count }) => sum + count, 0),
  }
}

/**
 * Makes the providers be asked soon about all objects that match. It changes when they are asked and nothing else, so it may be
 * interrupted and repeated.
 * @throws nothing_to_recheck 422 for a kind about which nobody can be asked
 */
export async function recheck(unit: UnitOfWork, filter: Filter): Promise<number> {
  const sources = sourcesOf(unit.runtime, filter.kind).filter((source) => source.recheck)
  if (sources.length === 0) throw errors.nothing_to_recheck()
  let count = 0
  for (const source of sources) {
    const { text, values } = matching([source], filter)
    const { rows } = await sqlOf(unit.em).query<{ id: string }>(`select id from ${text}`, values)
    if (rows.length > 0)
      await source.recheck?.(
        unit,
        rows.map(({ id }) => id),
      )
    count += rows.length
  }
  return count
}

/**
 * Marks one object as dealt with: it is not listed again until it needs an operator anew. Nothing else changes.
 * @returns the object as it was listed
 * @throws validation_failed 422 for an unknown kind, not_in_need 404 when it is not listed
 */
export async function resolve(unit: UnitOfWork, { kind, id }: z.output<typeof AttentionRef>): Promise<Shown> {
  const db = sqlOf(unit.em)
  const { text, values } = matching(sourcesOf(unit.runtime, kind), {})
  const { rows } = isId(id)
    ? await db.query<Row>(
        `select kind, id, organisation_id as "organisationId", environment, status, condition, reason, since from ${text} and id = $5`,
        [...values, id],
      )
    : { rows: [] }
  const [row] = rows
  if (!row) throw errors.not_in_need()
  return hide(db, row)
}

/** An object is not listed again until it needs an operator anew. */
async function hide(db: SqlExecutor, row: Row): Promise<Shown> {
  const since = new Date(row.since)
  await db.query(
    `insert into operator_resolutions (kind, resource_id, since) values ($1, $2, $3)
     on conflict (kind, resource_id) do update set since = excluded.since`,
    [row.kind, row.id, since],
  )
  return { ...row, since: since.toISOString() }
}

/**
 * Ends everything that an object needs an operator for, as its domains declare; what has no end of its own is marked as dealt with.
 * @returns the object as it was listed, once for each kind
 * @throws not_in_need 404 when it is not listed
 */
export async function close(unit: UnitOfWork, id: string): Promise<Shown[]> {
  const db = sqlOf(unit.em)
  const sources = sourcesOf(unit.runtime, undefined)
  const { text, values } = matching(sources, {})
  const { rows } = isId(id)
    ? await db.query<Row>(
        `select kind, id, organisation_id as "organisationId", environment, status, condition, reason, since from ${text} and id = $5 order by kind`,
        [...values, id],
      )
    : { rows: [] }
  if (rows.length === 0) throw errors.not_in_need()
  const closed: Shown[] = []
  for (const row of rows) {
    await sources.find(({ kind }) => kind === row.kind)?.close?.(db, id)
    closed.push(await hide(db, row))
  }
  return closed
}
