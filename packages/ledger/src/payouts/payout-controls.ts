import { requireConfirmedOwner } from '@payments/accounts'
import { type AssetSymbol, assets, toDecimal } from '@payments/kernel'
import { type QueryContext, refuseOwnAddresses, sqlOf, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { errors } from '../errors.ts'
import { approvalFrom, changeApprovalFrom } from './approval-rules.ts'
import {
  destinationText,
  hasOffCurve,
  type PayoutControls,
  type PayoutControlsPatch,
  type PayoutDestination,
  walletOf,
} from './payout-schemas.ts'
import { ledgerSettings } from './settings.ts'

/** Money that leaves the service for a recipient outside. */
export interface Payout {
  readonly asset: AssetSymbol
  /** Minor units, more than zero. */
  readonly amount: bigint
  readonly destination: z.output<typeof PayoutDestination>
  /** The field of the request that names the destination. */
  readonly field: string
}

/** The day (UTC, `YYYY-MM-DD`) whose limit a payout used: what {@link returnToLimit} needs. */
export type PayoutDay = string

const limitsOf = ({ runtime }: Pick<QueryContext, 'runtime'>) =>
  ledgerSettings.from(runtime.settings).PAYOUT_DAILY_LIMITS

/**
 * Checks a payout or withdrawal against the organisation's allow-list and counts it, in live, against the daily limit of its asset, in
 * the unit that creates it: if that unit is rolled back, nothing was counted. Parallel requests are counted one after another, so
 * together they never exceed the limit. Call it before the money is reserved.
 * @returns the day to which the amount was counted
 * @throws payout_destination_refused 422, payout_limit_exceeded 422
 */
export async function countPayout(unit: UnitOfWork, payout: Payout): Promise<PayoutDay> {
  const { organisationId, environment } = unit.actor
  const today = new Date().toISOString().slice(0, 10)
  await checkDestination(unit, payout)
  if (environment !== 'live') return today
  const db = sqlOf(unit.em)
  const [, limit] = limitsOf(unit).find(([asset]) => asset === payout.asset) ?? []
  if (limit === undefined) return today
  const counted = await db.query(
    `insert into payout_usage as u (organisation_id, environment, asset, day, used)
     select $1, $2, $3, $4, $5::numeric where $5::numeric <= $6::numeric
     on conflict (organisation_id, environment, asset, day) do update set used = u.used + excluded.used
      where u.used + excluded.used <= $6::numeric
     returning 1`,
    [organisationId, environment, payout.asset, today, payout.amount.toString(), limit.toString()],
  )
  if (counted.rows.length === 0) throw errors.payout_limit_exceeded()
  return today
}

/**
 * Checks a payout against the organisation's allow-list. The lock makes a change of the list wait: a payout
 * that has passed the check is committed before the change.
 * @throws payout_destination_refused 422
 */
export async function checkDestination(
  unit: UnitOfWork,
  { destination, field }: Pick<Payout, 'destination' | 'field'>,
): Promise<void> {
  const { organisationId, environment } = unit.actor
  const { rows } = await sqlOf(unit.em).query<{ allowed: boolean }>(
    'select $3 = any (destinations) as allowed from payout_allow_lists where organisation_id = $1 and environment = $2 for share',
    [organisationId, environment, destinationText(destination)],
  )
  if (!rows[0] || rows[0].allowed) return
  const { message } = errors.payout_destination_refused
  throw errors.payout_destination_refused({ fields: { [field]: message } })
}

/**
 * Gives back what a payout used of a day's limit, because it failed and the money stayed. In the unit that records the failure,
 * so that it happens once.
 */
export async function returnToLimit(
  unit: UnitOfWork,
  { asset, amount, day }: Pick<Payout, 'asset' | 'amount'> & { day: PayoutDay },
): Promise<void> {
  const { organisationId, environment } = unit.actor
  await sqlOf(unit.em).query(
    `update payout_usage set used = used - $5::numeric
      where organisation_id = $1 and environment = $2 and asset = $3 and day = $4 and used >= $5::numeric`,
    [organisationId, environment, asset, day, amount.toString()],
  )
}

/** The limits of the actor's environment, what is used of them today, and the allow-list. */
export async function payoutControls({ runtime, em, actor }: QueryContext): Promise<z.input<typeof PayoutControls>> {
  const limits = actor.environment === 'live' ? limitsOf({ runtime }) : []
  const db = sqlOf(em)
  const tenant = [actor.organisationId, actor.environment] as const
  const { rows: usage } = await db.query<{ asset: string; used: string }>(
    'select asset, used::text from payout_usage where organisation_id = $1 and environment = $2 and day = $3',
    [...tenant, new Date().toISOString().slice(0, 10)],
  )
  const { rows: lists } = await db.query<{ entries: z.output<typeof PayoutDestination>[] }>(
    'select entries from payout_allow_lists where organisation_id = $1 and environment = $2',
    [...tenant],
  )
  return {
    dailyLimits: limits.map(([symbol, limit]) => {
      const asset = assets[symbol as AssetSymbol]
      const used = BigInt(usage.find((each) => each.asset === symbol)?.used ?? 0)
      return { currency: symbol, limit: toDecimal(limit, asset), used: toDecimal(used, asset) }
    }),
    // Entries of releases before do not say it, and the list is sent back with them.
    allowedDestinations:
      lists[0]?.entries.map((each) => (hasOffCurve(each) ? { ...each, allowOffCurve: true } : each)) ?? null,
    approval: { from: await approvalFrom(db, tenant) },
  }
}

/**
 * Replaces what is given of the allow-list, which null removes so that every destination is allowed again, and of the rule for approvals. In
 * live only an owner with a confirmed session may do it, because controls that a leaked key could change would protect nothing.
 * @throws ServiceError 403; validation_failed 422
 */
export async function changePayoutControls(
  unit: UnitOfWork,
  { allowedDestinations, approval }: z.output<typeof PayoutControlsPatch>,
): Promise<z.input<typeof PayoutControls>> {
  const { environment } = unit.actor
  if (environment === 'live') await requireConfirmedOwner(unit)
  if (allowedDestinations !== undefined) await changeAllowList(unit, allowedDestinations)
  if (approval) await changeApprovalFrom(unit, approval.from)
  return payoutControls(unit)
}

async function changeAllowList(
  unit: UnitOfWork,
  allowedDestinations: z.output<typeof PayoutDestination>[] | null,
): Promise<void> {
  const { organisationId, environment } = unit.actor
  const wallets = (allowedDestinations ?? []).flatMap((each, place) =>
    each.type === 'wallet' ? [[`allowedDestinations.${place}.address`, walletOf(each)] as const] : [],
  )
  await refuseOwnAddresses(unit, Object.fromEntries(wallets))
  const db = sqlOf(unit.em)
  if (allowedDestinations === null)
    await db.query('delete from payout_allow_lists where organisation_id = $1 and environment = $2', [
      organisationId,
      environment,
    ])
  else
    await db.query(
      `insert into payout_allow_lists (organisation_id, environment, destinations, entries, updated_at)
       values ($1, $2, $3, $4, now())
       on conflict (organisation_id, environment) do update
         set destinations = excluded.destinations, entries = excluded.entries, updated_at = excluded.updated_at`,
      [organisationId, environment, allowedDestinations.map(destinationText), JSON.stringify(allowedDestinations)],
    )
}
