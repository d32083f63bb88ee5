import { system } from '@payments/kernel'
import { checkLedger, trialBalance } from '@payments/ledger'
import { queryContext } from '@payments/platform'
import { expect } from 'vitest'
import { advance, getSwap, type Merchant, type SwapData, type TestService } from '#testing'
import { processNow } from '../src/polling/process.ts'
import { find } from '../src/swaps/service.ts'

const contextOf = (service: TestService, { organisationId, environment }: Merchant) =>
  queryContext(service.runtime, system(organisationId, environment))

/** Processes a swap as the worker does, after moving the sandbox clock. Returns the swap as its GET shows it. */
export async function processAfter(
  service: TestService,
  merchant: Merchant,
  id: string,
  seconds = 0,
): Promise<SwapData> {
  if (seconds > 0) await advance(merchant, seconds)
  await processNow(service.runtime, await find(contextOf(service, merchant), id))
  return getSwap(merchant, id)
}

/** Processes a swap until its status is the given one and nothing is left at its address; at most 20 times. */
export async function processUntil(service: TestService, merchant: Merchant, id: string, status: string) {
  for (let round = 0; round < 20; round++) {
    const swap = await processAfter(service, merchant, id, 3)
    if (swap.status === status && (await heldOnChain(service, id)) === 0n) return processAfter(service, merchant, id, 3)
  }
  throw new Error(`${JSON.stringify(await getSwap(merchant, id))} is not ${status}`)
}

/** What the sandbox chain holds at the address of a swap: what arrived, less what its transactions moved away. */
export async function heldOnChain(service: TestService, id: string): Promise<bigint> {
  const { rows } = await service.runtime.pool.query<{ held: string }>(
    `select ((select coalesce(sum(amount), 0) from sandbox_swap_deposits d where d.address = s.deposit_address)
           - (select coalesce(sum(amount), 0) from sandbox_swap_transactions t where t.address = s.deposit_address and not fails))::text as held
       from swaps s where id = $1`,
    [id],
  )
  return BigInt(rows[0]?.held ?? 0)
}

/** The changes of status that events reported for a swap, in order: `awaiting_deposit>swapping`. */
export async function eventsOf(service: TestService, id: string): Promise<string[]> {
  const { rows } = await service.runtime.pool.query<{ type: string; data: Record<string, unknown> }>(
    "select type, payload->'data' as data from events where resource_id = $1 order by id",
    [id],
  )
  return rows.map(({ data }) => `${data.previousStatus ?? ''}>${data.status}`)
}

/** Balances of the organisation's journal that are not zero, by purpose and asset, in minor units. */
export async function journal(service: TestService, merchant: Merchant): Promise<Record<string, string>> {
  const lines = await trialBalance(contextOf(service, merchant), merchant.organisationId)
  return Object.fromEntries(
    lines.filter(({ balance }) => balance !== '0').map((line) => [`${line.purpose} ${line.asset}`, line.balance]),
  )
}

/**
 * The journal equals the chain for all swaps without a transaction under way, address by address: what swaps recorded as deposited, swapped and sent back is what the
 * sandbox chain shows, no transaction of it failed for lack of money, and the ledger agrees with every receipt.
 */
export async function expectJournalEqualsChain(service: TestService): Promise<void> {
  const { rows } = await service.runtime.pool.query(
    `select s.id, s.status, s.deposited_amount::text, s.returned_amount::text, d.amount::text as arrived, t.amount::text as gone
       from swaps s
      cross join lateral (select coalesce(sum(amount), 0) as amount from sandbox_swap_deposits where address = s.deposit_address) d
      cross join lateral (select coalesce(sum(amount), 0) as amount from sandbox_swap_transactions
                           where address = s.deposit_address and not fails) t
      where not exists (select from swap_transactions where swap_id = s.id and outcome is null)
        and (s.deposited_amount <> d.amount
             or s.returned_amount + case s.status when 'completed' then s.amount else 0 end <> t.amount
             or t.amount > d.amount)`,
  )
  expect(rows).toEqual([])
  expect((await checkLedger(service.runtime)).findings).toEqual([])
}
