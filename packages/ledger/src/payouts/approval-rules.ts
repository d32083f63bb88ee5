import { type AssetSymbol, assets, type Environment, toDecimal, toMinor } from '@payments/kernel'
import { type SqlExecutor, sqlOf, type UnitOfWork } from '@payments/platform'

/** From how much on payouts need a second person, by asset, as decimal text; null: no rule. */
export type ApprovalFrom = Readonly<Partial<Record<AssetSymbol, string>>> | null

type TenantValues = readonly [organisationId: string, environment: Environment]

const tenantOf = ({ actor }: Pick<UnitOfWork, 'actor'>): TenantValues => [actor.organisationId, actor.environment]

/**
 * Must a second person approve a new payout? The organisation's rule counts the day (UTC): a payout with which those sent without an
 * approval would reach the rule's amount needs one, so that splitting does not avoid it, and does not count itself. One that fails
 * later stays counted. The rule's row is locked until the commit: payouts at the same time count each other. Called after
 * `countPayout` and before the money is reserved, in the unit that creates the payout.
 * @param amount minor units of `asset`
 */
export async function needsApproval(
  unit: UnitOfWork,
  { asset, amount }: { readonly asset: AssetSymbol; readonly amount: bigint },
): Promise<boolean> {
  const db = sqlOf(unit.em)
  const { rows } = await db.query<{ from: string; used: string }>(
    `select from_amount::text as from, case when day = (now() at time zone 'utc')::date then used else 0 end::text as used
       from payout_approval_rules where organisation_id = $1 and environment = $2 and asset = $3 for update`,
    [...tenantOf(unit), asset],
  )
  const [rule] = rows
  if (!rule) return false
  const used = BigInt(rule.used) + amount
  if (used >= BigInt(rule.from)) return true
  await db.query(
    `update payout_approval_rules set used = $4, day = (now() at time zone 'utc')::date
      where organisation_id = $1 and environment = $2 and asset = $3`,
    [...tenantOf(unit), asset, used.toString()],
  )
  return false
}

/** The rules of an organisation in one environment. */
export async function approvalFrom(db: SqlExecutor, tenant: TenantValues): Promise<ApprovalFrom> {
  const { rows } = await db.query<{ asset: AssetSymbol; from: string }>(
    'select asset, from_amount::text as from from payout_approval_rules where organisation_id = $1 and environment = $2',
    [...tenant],
  )
  if (rows.length === 0) return null
  return Object.fromEntries(rows.map(({ asset, from }) => [asset, toDecimal(BigInt(from), assets[asset])]))
}

/** Replaces the rules. What was sent today under a rule that stays is still counted. */
export async function changeApprovalFrom(unit: UnitOfWork, from: ApprovalFrom): Promise<void> {
  const db = sqlOf(unit.em)
  const rules = Object.entries(from ?? {}) as [AssetSymbol, string][]
  await db.query(
    'delete from payout_approval_rules where organisation_id = $1 and environment = $2 and asset <> all ($3::text[])',
    [...tenantOf(unit), rules.map(([asset]) => asset)],
  )
  for (const [asset, text] of rules)
    await db.query(
      `insert into payout_approval_rules (organisation_id, environment, asset, from_amount, day, used)
       values ($1, $2, $3, $4, (now() at time zone 'utc')::date, 0)
       on conflict (organisation_id, environment, asset) do update set from_amount = excluded.from_amount`,
      [...tenantOf(unit), asset, toMinor(text, assets[asset]).toString()],
    )
}
