import { type Draft, post } from '@payments/ledger'
import { locked, move, sqlOf, type UnitOfWork } from '@payments/platform'
import { update } from './changes.ts'
import { type SwapRow, swapResource } from './entity.ts'
import { errors } from './errors.ts'
import { journalOf } from './journal.ts'
import type { DepositReport } from './provider.ts'

/**
 * Applies a report of a swap's address, in the caller's transaction: records the deposits that are new, each with its
 * journal entry, and starts or expires the swap. The same report again changes nothing.
 */
export async function applyDeposits(
  unit: UnitOfWork,
  id: string,
  report: DepositReport,
  provider: string,
): Promise<SwapRow> {
  let swap = await locked(unit, swapResource, id, errors.swap_not_found)
  const { added, drafts, inTime } = await record(unit, swap, report, provider)
  const [first] = added
  const deposited = {
    depositedAmount: added.reduce((sum, { amount }) => sum + amount, swap.depositedAmount),
    depositTxHash: swap.depositTxHash ?? first?.txHash ?? null,
  }
  // Money that left the address after this swap ended is never counted twice: only new transfers add to the sum.
  if (swap.status === 'awaiting_deposit') {
    const event = inTime >= swap.amount ? 'receive' : report.finalizedAt > swap.depositsUntil ? 'expire' : null
    if (event) swap = (await move(unit, swapResource, id, event, errors.swap_not_found, deposited)).row
    else if (first) swap = await update(unit, swap, deposited)
  } else if (first) swap = await update(unit, swap, deposited)
  await post(unit, drafts)
  return swap
}

/** Inserts the deposits that are not recorded yet. `inTime`: the sum of all that arrived before the swap's end. */
async function record(unit: UnitOfWork, swap: SwapRow, { deposits }: DepositReport, provider: string) {
  const reported = deposits
    .filter(({ amount }) => amount > 0n)
    .toSorted((a, b) => a.at.getTime() - b.at.getTime() || (a.txHash < b.txHash ? -1 : 1))
  const { rows: known } = await sqlOf(unit.em).query<{ tx_hash: string; in_time: boolean; amount: string }>(
    'select tx_hash, in_time, amount::text from swap_deposits where swap_id = $1',
    [swap.id],
  )
  const hashes = new Set(known.map(({ tx_hash }) => tx_hash))
  const added = reported.filter(({ txHash }) => !hashes.has(txHash) && hashes.add(txHash))
  const isInTime = ({ at }: { at: Date }) => at <= swap.depositsUntil
  if (added.length > 0)
    await sqlOf(unit.em).query(
      `insert into swap_deposits (swap_id, tx_hash, organisation_id, environment, amount, in_time, created_at)
       select $1, d.tx_hash, $2, $3, d.amount, d.in_time, now()
         from unnest($4::text[], $5::numeric[], $6::boolean[]) as d (tx_hash, amount, in_time)`,
      [
        swap.id,
        swap.organisationId,
        swap.environment,
        added.map(({ txHash }) => txHash),
        added.map(({ amount }) => amount.toString()),
        added.map(isInTime),
      ],
    )
  const journal = journalOf(swap, provider)
  const drafts: Draft[] = added.map(({ txHash, amount }) => journal.received(txHash, amount))
  const before = known.reduce((sum, row) => (row.in_time ? sum + BigInt(row.amount) : sum), 0n)
  return { added, drafts, inTime: added.filter(isInTime).reduce((sum, { amount }) => sum + amount, before) }
}
