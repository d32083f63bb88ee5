import { type Draft, postWithCommit } from '@payments/ledger'
import { locked, moveLocked, sqlOf, type UnitOfWork } from '@payments/platform'
import { PollEntity, type PolledSwap, type SwapRow, swapResource } from '../entity.ts'
import { errors } from '../errors.ts'
import type { DepositReport } from '../provider/provider.ts'
import { update } from '../swaps/changes.ts'
import { applyForgotten } from './forgotten.ts'
import { journalOf } from './journal.ts'

/** A swap, and how far its address was read. */
export type ReadSwap = SwapRow & Pick<PolledSwap, 'readTo'>

/**
 * Applies a report of a swap's address, in the caller's transaction: records the deposits that are new, each with its
 * journal entry, and starts or expires the swap; what left it by transactions that were forgotten, too. The same report again changes nothing, and so does one that begins elsewhere than
 * where the last one ended: another worker was faster.
 */
export async function applyDeposits(
  unit: UnitOfWork,
  id: string,
  report: DepositReport,
  { readTo }: { readonly readTo: string | null },
): Promise<ReadSwap> {
  let swap = await locked(unit, swapResource, id, errors.swap_not_found)
  const known = await lockedReadTo(unit, id)
  if (known !== readTo) return { ...swap, readTo: known }
  if (report.readTo !== readTo) await unit.update(PollEntity, swap, { readTo: report.readTo })
  const { added, drafts, inTime } = await record(unit, swap, report)
  const [first] = added
  const deposited = {
    depositedAmount: added.reduce((sum, { amount }) => sum + amount, swap.depositedAmount),
    depositTxHash: swap.depositTxHash ?? first?.txHash ?? null,
  }
  // Money that left the address after this swap ended is never counted twice: only new transfers add to the sum.
  if (swap.status === 'awaiting_deposit') {
    const isOver = report.complete && report.finalizedAt > swap.depositsUntil
    const event = inTime >= swap.amount ? 'receive' : isOver ? 'expire' : null
    if (event) swap = (await moveLocked(unit, swapResource, swap, event, deposited)).row
    else if (first) swap = await update(unit, swap, deposited)
  } else if (first) swap = await update(unit, swap, deposited)
  await postWithCommit(unit, drafts)
  swap = await applyForgotten(unit, swap, report.withdrawals ?? [])
  return { ...swap, readTo: report.readTo }
}

/** How far the address of a locked swap was read. */
async function lockedReadTo(unit: UnitOfWork, id: string): Promise<string | null> {
  const { rows } = await sqlOf(unit.em).query<{ read_to: string | null }>(
    'select read_to from swap_polls where id = $1 for no key update',
    [id],
  )
  return rows[0]?.read_to ?? null
}

/** Inserts the deposits that are not recorded yet. `inTime`: the sum of all that arrived before the swap's end. */
async function record(unit: UnitOfWork, swap: SwapRow, { deposits }: DepositReport) {
  const reported = deposits
    .filter(({ amount }) => amount > 0n)
    .toSorted((a, b) => a.at.getTime() - b.at.getTime() || (a.txHash < b.txHash ? -1 : 1))
  const db = sqlOf(unit.em)
  const { rows: before } = await db.query<{ in_time: string }>(
    'select coalesce(sum(amount) filter (where in_time), 0)::text as in_time from swap_deposits where organisation_id = $2 and environment = $3 and swap_id = $1',
    [swap.id, swap.organisationId, swap.environment],
  )
  const { rows: inserted } =
    reported.length === 0
      ? { rows: [] }
      : await db.query<{ tx_hash: string }>(
          `insert into swap_deposits (swap_id, tx_hash, organisation_id, environment, amount, in_time, created_at)
           select distinct on (d.tx_hash) $1::uuid, d.tx_hash, $2::uuid, $3, d.amount, d.at <= $4, now()
             from unnest($5::text[], $6::numeric[], $7::timestamptz[]) as d (tx_hash, amount, at)
           on conflict (organisation_id, environment, swap_id, tx_hash) do nothing returning tx_hash`,
          [
            swap.id,
            swap.organisationId,
            swap.environment,
            swap.depositsUntil,
            reported.map(({ txHash }) => txHash),
            reported.map(({ amount }) => amount.toString()),
            reported.map(({ at }) => at.toISOString()),
          ],
        )
  const hashes = new Set(inserted.map(({ tx_hash }) => tx_hash))
  const added = reported.filter(({ txHash }) => hashes.delete(txHash))
  const journal = journalOf(swap)
  const inTime = added.filter(({ at }) => at <= swap.depositsUntil)
  return {
    added,
    drafts: added.map(({ txHash, amount }): Draft => journal.received(txHash, amount)),
    inTime: inTime.reduce((sum, { amount }) => sum + amount, BigInt(before[0]?.in_time ?? 0)),
  }
}
