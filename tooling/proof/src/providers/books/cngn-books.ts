import { rows, type StandDatabase } from '@payments/stand'
import type { FakeCngn } from '../fakes.ts'
import type { Difference } from '../part.ts'
import { journal, mismatch } from './books.ts'

interface Transfer {
  readonly id: string
  readonly kind: string
  readonly status: string
  readonly amount: string | null
  readonly destination: string | null
  /** It is not at the provider: never sent, or refused and to be sent again. */
  readonly waits: boolean
  /** What became of its order, for a person. */
  readonly sending: string
}
type Movement = FakeCngn['transactions'][number]

const KINDS: Readonly<Record<string, string>> = { redeem: 'payout', withdrawal: 'withdrawal' }
const unitsOf = ({ amount }: Movement): bigint => BigInt(Math.round(Number(amount) * 1e6))
/** The account or the address. */
const destinationOf = ({ receiver }: Movement): string =>
  typeof receiver === 'string' ? (receiver.split(':')[1] ?? '') : String(receiver?.address)

/** Where cNGN's books and ours differ: orders out, arrivals, and the treasury as a whole. */
export async function cngnDifferences(
  cngn: FakeCngn,
  database: Pick<StandDatabase, 'pool'>,
): Promise<readonly Difference[]> {
  const transfers = await rows<Transfer>(
    database,
    `select t.id, t.kind, t.status, t.amount::text, coalesce(t.account_number, t.address) as destination, s.sent_at is null and s.status <> 'ended' as waits,
            format('sent %s times, last at %s, reference %s, absent since %s, %s', s.attempts, s.sent_at, s.reference, s.absent_since, s.error) as sending
       from cngn_transfers t left join cngn_sends s on s.id = t.id`,
  )
  const out = await leaving(cngn, database, transfers)
  const arrived = await arriving(cngn, database, transfers)
  const total = await treasury(cngn, database, out.explained + arrived.explained)
  return [...out.differences, ...arrived.differences, ...total]
}

/** Equal orders cannot be told apart at the bank, so that they are compared as a group: as many paid as are completed here. */
async function leaving(cngn: FakeCngn, database: Pick<StandDatabase, 'pool'>, transfers: readonly Transfer[]) {
  const positions = await journal(database, ['cngn_payout', 'cngn_withdrawal'])
  const differences: Difference[] = []
  const groups = new Map<string, { orders: Transfer[]; paid: number; amount: bigint }>()
  const group = (key: string, amount: bigint) => {
    const own = groups.get(key) ?? { orders: [], paid: 0, amount }
    groups.set(key, own)
    return own
  }
  const keyOf = (order: Transfer) => `${order.kind} of ${order.amount} to ${order.destination}`
  const orders = transfers.filter(({ kind }) => kind !== 'payin')
  for (const order of orders) group(keyOf(order), BigInt(order.amount ?? 0)).orders.push(order)
  for (const order of orders) {
    const { id, kind, status, waits } = order
    const wrong = ['completed', 'failed'].includes(status)
      ? mismatch(positions.get(id), { 'external cNGN': status === 'completed' ? BigInt(order.amount ?? 0) : 0n })
      : `is ${status}: ${order.sending}`
    if (!wrong) continue
    // An order that was not sent waits for an equal one, of which nobody knows yet what became of it.
    const equal = groups.get(keyOf(order))?.orders ?? []
    differences.push({
      ids: waits ? equal.map((each) => each.id) : [id],
      what: `${kind} ${id} ${wrong}`,
    })
  }
  for (const one of cngn.transactions.filter(({ trx_type, status }) => KINDS[trx_type] && status === 'success'))
    group(`${KINDS[one.trx_type]} of ${unitsOf(one)} to ${destinationOf(one)}`, unitsOf(one)).paid++
  let explained = 0n
  for (const [key, { orders, paid, amount }] of groups) {
    const completed = orders.filter(({ status }) => status === 'completed').length
    explained += BigInt(paid - completed) * amount
    const ids = orders.map(({ id }) => id)
    if (paid > orders.length)
      differences.push({ ids, isGrave: true, what: `${key}: ${paid} were paid, ${orders.length} were ordered` })
    // Each order that the books see in another way is on the list by itself.
    if (paid !== completed)
      differences.push({
        ids,
        least: Math.abs(paid - completed),
        what: `${key}: ${paid} were paid, ${completed} are completed`,
      })
  }
  return { differences, explained }
}

async function arriving(cngn: FakeCngn, database: Pick<StandDatabase, 'pool'>, transfers: readonly Transfer[]) {
  const receipts = await rows<{
    id: string
    reference: string
    alias: string | null
    transfer: string | null
    status: string
    amount: string
  }>(database, 'select id, reference, alias, transfer_id as transfer, status, amount::text from cngn_receipts')
  const positions = await journal(database, ['cngn_payin'])
  const differences: Difference[] = []
  let explained = 0n
  // A movement has two names; that it is counted under each of them would be twice.
  const known = new Map(
    receipts.flatMap((receipt) => [receipt.reference, receipt.alias].map((name) => [name, receipt] as const)),
  )
  for (const one of cngn.transactions.filter(({ trx_type }) => trx_type === 'deposit')) {
    const receipt = known.get(one.trx_ref) ?? known.get(one.id)
    const other = known.get(one.id)
    if (receipt && other && other !== receipt)
      differences.push({
        ids: [],
        isGrave: true,
        what: `deposit ${one.trx_ref} is counted as ${receipt.id} and ${other.id}`,
      })
    const has = one.status === 'success' ? unitsOf(one) : 0n
    const credited = receipt?.status === 'credited' ? BigInt(receipt.amount) : 0n
    if (has === credited) continue
    explained += credited - has
    const ids = receipt ? [receipt.id, ...(receipt.transfer ? [receipt.transfer] : [])] : []
    differences.push({
      ids,
      what: `deposit ${one.trx_ref} of ${has} is ${receipt?.status ?? 'not known'}, credited ${credited}`,
    })
  }
  for (const { id, status } of transfers.filter(({ kind }) => kind === 'payin')) {
    const credited = receipts
      .filter((each) => each.transfer === id && each.status === 'credited')
      .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
    const wrong = mismatch(positions.get(id), { 'external cNGN': -credited })
    if (wrong) differences.push({ ids: [id], what: `payin ${id} (${status}) ${wrong}` })
  }
  return { differences, explained }
}

/** The treasury holds what the journal holds for customers, but for the differences that were found above. */
async function treasury(
  cngn: FakeCngn,
  database: Pick<StandDatabase, 'pool'>,
  explained: bigint,
): Promise<Difference[]> {
  const held = cngn.transactions.reduce((sum, one) => {
    if (one.trx_type === 'deposit') return one.status === 'success' ? sum + cngn.netOf(one.trx_ref) : sum
    return one.status === 'success' ? sum - unitsOf(one) : sum
  }, 0n)
  const [found] = await rows<{ balance: string }>(
    database,
    `select coalesce(sum(balance), 0)::text as balance from ledger_accounts
      where asset = 'cNGN' and environment = 'live' and purpose in ('available', 'reserved', 'suspense')`,
  )
  const journalBalance = BigInt(found?.balance ?? 0)
  if (journalBalance === held + explained) return []
  return [{ ids: [], what: `the treasury holds ${held}, the journal ${journalBalance}, explained is ${explained}` }]
}
