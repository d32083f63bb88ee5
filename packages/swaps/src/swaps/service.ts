import { isId, toDecimal } from '@payments/kernel'
import { move, newestAndTotal, type QueryContext, sqlOf, type UnitOfWork } from '@payments/platform'
import { assetIn } from '../currencies.ts'
import {
  PollEntity,
  type PollRow,
  SwapEntity,
  type SwapRow,
  SwapTransactionEntity,
  swapResource,
  UNFINISHED,
} from '../entity.ts'
import { errors } from '../errors.ts'
import { present } from '../present.ts'
import { heldAmount } from './changes.ts'

const NEWEST = 200

/** A swap of the actor's tenant. @throws swap_not_found 404 */
export async function find(context: QueryContext, id: string): Promise<SwapRow> {
  const row = isId(id) ? await context.em.findOne(SwapEntity, { id }) : null
  if (!row) throw errors.swap_not_found()
  return row
}

/** A swap of any organisation and environment, for operators. @throws swap_not_found 404 */
export async function findAnywhere(context: QueryContext, id: string): Promise<SwapRow> {
  const row = isId(id)
    ? await context.em.findOne(SwapEntity, { id }, { filters: { tenant: false }, disableIdentityMap: true })
    : null
  if (!row) throw errors.swap_not_found()
  return row
}

/** The newest 200 swaps of the actor's tenant, and the exact number of all. */
export const newestSwaps = (context: QueryContext): Promise<{ rows: SwapRow[]; total: number }> =>
  newestAndTotal(context, SwapEntity)

/** Cancels a swap that waits for its deposit. @throws swap_not_found 404, swap_not_cancellable 409 */
export async function cancel(unit: UnitOfWork, id: string): Promise<SwapRow> {
  const { row, outcome } = await move(unit, swapResource, id, 'cancel', errors.swap_not_found)
  if (outcome === 'ignored') throw errors.swap_not_cancellable()
  return row
}

/**
 * Swaps of all organisations that are not final, hold money or fail to be processed; at most 200, and the exact number.
 * Those that fail come first, then those that have not changed for the longest time.
 */
export async function unfinished(context: QueryContext) {
  const { rows: found } = await sqlOf(context.em).query<{ id: string; total: number }>(
    `with failing as materialized (select id from swap_polls where failing_since is not null),
          found as (select id from swaps where ${UNFINISHED} union select id from failing)
     select s.id, count(*) over ()::int as total
       from found join swaps s on s.id = found.id left join failing on failing.id = s.id
      order by failing.id is null, s.updated_at, s.id limit $1`,
    [NEWEST],
  )
  const ids = found.map(({ id }) => id)
  const anywhere = { filters: { tenant: false }, disableIdentityMap: true } as const
  const swaps = await context.em.find(SwapEntity, { id: { $in: ids } }, anywhere)
  const open = await context.em.find(SwapTransactionEntity, { swapId: { $in: ids }, outcome: null }, anywhere)
  const polls = await context.em.find(PollEntity, { id: { $in: ids } }, anywhere)
  const byId = new Map(swaps.map((swap) => [swap.id, swap]))
  const pollOf = new Map(polls.map((poll) => [poll.id, poll]))
  const signatures = new Map(open.map(({ swapId, signature }) => [swapId, signature]))
  return {
    total: found[0]?.total ?? 0,
    swaps: ids.flatMap((id) => {
      const swap = byId.get(id)
      const poll = pollOf.get(id)
      return swap && poll ? [presentForOperators(swap, poll, signatures.get(id) ?? null)] : []
    }),
  }
}

const presentForOperators = (swap: SwapRow, poll: PollRow, openSignature: string | null) => ({
  ...present(swap),
  organisationId: swap.organisationId,
  environment: swap.environment,
  heldAmount: toDecimal(heldAmount(swap), assetIn(swap.fromCurrency)),
  unexplainedAmount:
    swap.unexplainedAmount == null ? null : toDecimal(swap.unexplainedAmount, assetIn(swap.fromCurrency)),
  otherHoldings: [...(swap.otherHoldings ?? [])],
  openSignature,
  error: poll.error ?? null,
  failingSince: poll.failingSince?.toISOString() ?? null,
  nextPollAt: poll.nextPollAt.toISOString(),
})
