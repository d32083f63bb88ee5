import { hash } from 'node:crypto'
import { errorCode, newId, type Tenant } from '@payments/kernel'
import { sqlOf } from '../database/sql.ts'
import type { ReportedAmounts } from '../domain/money.ts'
import type { UnitOfWork } from '../operations/context/context.ts'
import type { AttentionSource } from '../operations/context/operators.ts'
import type { TimelineSource } from '../operations/context/timeline.ts'

/** What a provider said about an object. */
export interface ObjectReport extends Tenant {
  readonly resourceType: string
  readonly resourceId: string
  readonly provider: string
  /** JSON, in the words of the port. It is kept as evidence, so it holds no personal data: no names, no account numbers. */
  readonly report: unknown
  readonly amounts?: ReportedAmounts
}

/** Of the report that an object was last changed by. Contradictions have a digest of their own. */
const APPLIED = ''

/** Of the failure to apply what is reported of an object: there is one for each object, which opens again after it was settled. */
const FAILED = 'failed'

/** How the digests begin of reports that an operator knew when settling the object: see {@link keepKnownReport}. */
const KNOWN = 'known '

/** SQL: what tells a report from others: all that it says but when it was written. */
const contentOf = (report: string): string =>
  `md5((case when jsonb_typeof(${report}) = 'object' then ${report} - 'updatedAt' else ${report} end)::text)`

/** Reason of a failure to apply a report, by which a later poll settles it. */
export const NOT_APPLIED = 'The provider’s report could not be applied'

/**
 * Keeps the report that the object was last changed by, with the commit: one row for each object, as evidence. The ledger check
 * compares its amounts with the object's receipt. Called in the transaction that applies the report.
 */
export function recordReport(unit: UnitOfWork, report: ObjectReport): void {
  write(unit, report, APPLIED, null)
}

/**
 * Keeps a report that no path of the object's states reaches, with the commit: one row for each distinct report, which counts its
 * repetitions. Operators find the object among those that need them, until a command settles it; the object's timeline shows it.
 * @param reason what contradicts, as an operator reads it: "Reported as delivered after it had failed"
 */
export function recordContradiction(unit: UnitOfWork, report: ObjectReport & { readonly reason: string }): void {
  write(unit, report, hash('sha256', `${report.reason}\n${json(report.report)}`), report.reason)
}

/**
 * Keeps that what a provider reports of an object could not be applied, with the commit: operators find the object with the error's code until
 * a later report is applied, which settles the reason {@link NOT_APPLIED}. Called in a transaction of its own, since the one that applied is gone.
 */
export function recordFailure(unit: UnitOfWork, of: Omit<ObjectReport, 'report' | 'amounts'>, error: unknown): void {
  write(unit, { ...of, report: { error: errorCode(error) } }, FAILED, NOT_APPLIED)
}

/**
 * Marks the contradictions of an object as settled, with the commit: by a command of an operator, or because a later report explains them.
 * @param reasons only those with one of these reasons; all of them by default
 */
export function settleContradictions(
  unit: UnitOfWork,
  { organisationId, environment, id }: Tenant & { readonly id: string },
  reasons?: readonly string[],
): void {
  const among = reasons ? 'reason in (select json_array_elements_text($4::json))' : 'reason is not null'
  unit.appendToCommit(
    {
      text: `update provider_reports set settled_at = now()
        where organisation_id = $1 and environment = $2 and resource_id = $3 and ${among} and settled_at is null`,
      values: [organisationId, environment, id, ...(reasons ? [JSON.stringify(reasons)] : [])],
    },
    `contradictions ${id} ${reasons?.join() ?? ''}`,
  )
}

/**
 * Keeps the report that an object was last changed by, and those that contradict it, as known to the operator who settles the object now.
 * Told again afterwards, they may contradict what the operator decided, but they are nothing new: they are kept as settled, and the object
 * is not listed again. Any other report that contradicts is. Called in the transaction of the settlement, before {@link recordReport}.
 */
export async function keepKnownReport(
  unit: UnitOfWork,
  { organisationId, environment, id }: Tenant & { readonly id: string },
): Promise<void> {
  await sqlOf(unit.em).query(
    `insert into provider_reports (id, organisation_id, environment, resource_type, resource_id, provider, digest, reason, report, amounts, times, first_at, last_at)
     select distinct on (${contentOf('report')}) gen_random_uuid(), organisation_id, environment, resource_type, resource_id, provider,
            '${KNOWN}' || ${contentOf('report')}, null, report, amounts, times, first_at, last_at
       from provider_reports where organisation_id = $1 and environment = $2 and resource_id = $3
        and (digest = '${APPLIED}' or reason is not null and settled_at is null and digest <> '${FAILED}')
     on conflict (organisation_id, environment, resource_id, digest) do nothing`,
    [organisationId, environment, id],
  )
}

/**
 * Marks what could not be read of an object as settled, with the commit, where it could be read again.
 * @param prefix how the reasons begin; they end with the request: "Not readable at id, request 0x1"
 */
export function settleReadable(
  unit: UnitOfWork,
  { organisationId, environment, id }: Tenant & { readonly id: string },
  prefix: string,
  requests: readonly string[],
): void {
  if (requests.length === 0) return
  unit.appendToCommit(
    {
      text: `update provider_reports set settled_at = now()
        where organisation_id = $1 and environment = $2 and resource_id = $3 and settled_at is null
          and starts_with(reason, $4) and split_part(reason, ', request ', 2) in (select json_array_elements_text($5::json))`,
      values: [organisationId, environment, id, prefix, JSON.stringify(requests)],
    },
    `readable ${id}`,
  )
}

function write(unit: UnitOfWork, of: ObjectReport, digest: string, reason: string | null): void {
  const { organisationId, environment, resourceType, resourceId, provider } = of
  unit.appendToCommit(
    {
      text: `insert into provider_reports (id, organisation_id, environment, resource_type, resource_id, provider, digest, reason, report, amounts, times, first_at, last_at, settled_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10, 1, now(), now(), case when $8::text is not null and exists (
          select from provider_reports k where k.organisation_id = $2 and k.environment = $3 and k.resource_id = $5
             and k.digest = '${KNOWN}' || ${contentOf('$9::jsonb')}) then now() end)
        on conflict (organisation_id, environment, resource_id, digest) do update set provider = excluded.provider, report = excluded.report,
          amounts = excluded.amounts, times = provider_reports.times + 1, last_at = excluded.last_at,
          settled_at = case when excluded.digest <> '${FAILED}' then provider_reports.settled_at end`,
      values: [
        ...[newId(), organisationId, environment, resourceType, resourceId, provider, digest, reason],
        ...[json(of.report), json(of.amounts ?? {})],
      ],
    },
    `provider_reports ${resourceId} ${digest}`,
  )
}

const json = (value: unknown): string =>
  JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? each.toString() : each))

/**
 * SQL: the amounts of the report that the object was last changed by, as JSON with amounts as text; null where there is none.
 * @param of alias of the object, which has `organisation_id`, `environment` and `id`
 */
export const reportedAmountsSql = (of: string): string =>
  `(select r.amounts from provider_reports r where r.organisation_id = ${of}.organisation_id and r.environment = ${of}.environment
      and r.resource_id = ${of}.id and r.digest = '${APPLIED}')`

/**
 * SQL: true while a contradiction of an object is not settled: a report that explains it has something to do, although it changes nothing of the object.
 * @param of alias of the object, which has `id`
 */
export const isContradictedSql = (of: string): string =>
  `exists (select from provider_reports c where c.resource_id = ${of}.id and c.reason is not null and c.settled_at is null)`

/** Objects with a report that contradicts what they are. */
export const contradictions: AttentionSource = {
  kind: 'provider_report',
  sql: `select distinct on (resource_id) resource_id as id, organisation_id, environment, resource_type as status,
               'failed' as condition, reason, first_at as since
          from provider_reports where reason is not null and settled_at is null order by resource_id, first_at desc`,
  async close(db, id) {
    await db.query(
      'update provider_reports set settled_at = now() where resource_id = $1 and reason is not null and settled_at is null',
      [id],
    )
  },
}

interface Row {
  id: string
  resource_id: string
  provider: string
  digest: string
  reason: string | null
  report: unknown
  times: number
  first_at: string
  last_at: string
  settled_at: string | null
  total: number
}

/** The reports of providers about an object, for operators only. */
export const reportTimeline: TimelineSource = async (db, { organisationId, environment, ids, limit, forOperators }) => {
  if (!forOperators) return { entries: [], total: 0 }
  const { rows } = await db.query<Row>(
    `select id, resource_id, provider, digest, reason, report, times, first_at, last_at, settled_at, count(*) over ()::int as total
       from provider_reports where organisation_id = $1 and environment = $2 and resource_id = any ($3::uuid[]) order by last_at desc limit $4`,
    [organisationId, environment, ids, limit],
  )
  const entries = rows.map((row) => ({
    kind: 'provider_report' as const,
    at: new Date(row.last_at),
    id: row.id,
    resourceId: row.resource_id,
    summary:
      row.reason ??
      `${row.digest.startsWith(KNOWN) ? 'Report that an operator knew' : 'Last report'} of ${row.provider}`,
    details: {
      provider: row.provider,
      report: JSON.stringify(row.report),
      times: row.times,
      firstAt: new Date(row.first_at).toISOString(),
      contradicts: row.reason !== null,
      settledAt: row.settled_at === null ? null : new Date(row.settled_at).toISOString(),
    },
  }))
  return { entries, total: rows[0]?.total ?? 0 }
}
