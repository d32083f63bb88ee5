import { BANK_ACCOUNT, type Random, rows, samples, WALLETS } from '@payments/stand'
import { journal, mismatch } from './books/books.ts'
import type { FakePaycrest } from './fakes.ts'
import { broken, created, type Difference, merchantOf, misbehaviour, type Part } from './part.ts'
import type { ProviderStand } from './stand.ts'

const OUTCOMES = [
  'delivered',
  'delivered',
  'reassigned',
  'refunded',
  'returned',
  'retried',
  'unconfirmed',
  'refund_failed',
  'held',
  'cancelled',
  'cancelled_refunded',
] as const
const ENDED = ['settled', 'refunded', 'expired']
/** The fake counts in units of 18 places. */
const PLACES: Readonly<Record<string, number>> = { USDC: 6, NGN: 2 }

/** Offramps and onramps at Paycrest. */
export function fiatPart({ paycrest, merchants, database }: ProviderStand, random: Random): Part {
  const faults = misbehave(paycrest, random)
  paycrest.fees.networkFee = '0.5'
  const late: (() => void)[] = []
  return {
    name: 'offramps and onramps',
    share: 22,
    async add(number) {
      const isOfframp = random.chance(0.6)
      const { path, body } = isOfframp ? samples.offramp : samples.onramp
      const given = isOfframp
        ? { amount: `${20 + random.below(300)}.${10 + random.below(80)}`, refundAddress: WALLETS.evm }
        : {
            amount: `${5000 + random.below(90_000)}`,
            refundBankAccount: { ...BANK_ACCOUNT, accountName: 'Ada Obi' },
          }
      const reference = `${isOfframp ? 'o' : 'i'}${number}`
      const made = await created(merchantOf(merchants, number), `POST ${path}`, body({ ...given, reference }))
      const order = paycrest.order(made.id)
      const asked = String(isOfframp ? made.deposit.amount : made.paymentAccount.amount)
      order.outcome = random.pick(OUTCOMES)
      if (random.chance(0.1)) {
        order.status = 'expired'
        if (isOfframp && random.chance(0.5)) late.push(() => paycrest.receive(made.id, asked))
        return
      }
      // Some payers of offramps send less than the fees: what that leaves is less than nothing.
      if (isOfframp && random.chance(0.04)) return void paycrest.receive(made.id, '0.3')
      // Some send another amount: what arrives is paid out.
      const factor = isOfframp && random.chance(0.25) ? random.pick([0.5, 0.9, 1.5]) : 1
      paycrest.receive(made.id, factor === 1 ? asked : (Number(asked) * factor).toFixed(6))
    },
    advance() {
      paycrest.step()
      late.shift()?.()
    },
    hurry: [
      `update fiat_polls q set next_poll_at = least(next_poll_at, now())
        where exists (select from fiat_refunds r where r.id = q.id and r.status = 'pending')
           or exists (select from offramps o where o.id = q.id and o.status in ('pending', 'processing', 'settled'))
           or exists (select from onramps o where o.id = q.id and o.status in ('awaiting_payment', 'processing'))`,
      // An order that its provider hides for half an hour has failed: here it takes seconds, but longer than until another one has it.
      // An order that rests unconfirmed for half an hour needs an operator.
      ...['offramps', 'onramps'].map(
        (table) => `update ${table} set updated_at = updated_at - interval '8 minutes'
          where attention is null and (status = 'processing' or exists (select from fiat_refunds r where r.id = ${table}.id and r.status = 'pending'))
            and updated_at > now() - interval '1 hour'`,
      ),
      "update fiat_polls set cancelled_since = cancelled_since - interval '4 minutes' where cancelled_since is not null",
    ],
    async differences() {
      const positions = await journal(database, ['offramp', 'onramp'])
      const found = await rows<{
        id: string
        status: string
        source: string
        destination: string
        refund: string | null
      }>(
        database,
        `select o.id, o.status, o.source, o.destination, r.status as refund
           from (select id, status, source_currency as source, destination_currency as destination from offramps
                 union all select id, status, source_currency, destination_currency from onramps) o
           left join fiat_refunds r on r.id = o.id`,
      )
      const byId = new Map(found.map((row) => [row.id, row]))
      return paycrest.orders.flatMap((order): Difference[] => {
        const { reference: id, received, refunded, paidOut, payouts, status } = order
        const row = byId.get(id)
        if (payouts > 1 || (payouts === 1 && refunded > 0n && order.outcome !== 'returned'))
          return [{ ids: [], isGrave: true, what: `order ${id} was paid ${payouts} times and refunded ${refunded}` }]
        if (!row) return received > 0n ? [{ ids: [], what: `order ${id} is not known and holds ${received}` }] : []
        const isOpen =
          ['pending', 'awaiting_payment', 'processing', 'settled'].includes(row.status) || row.refund === 'pending'
        // A transfer that the bank returned was paid out and came back.
        const kept = refunded > 0n ? 0n : paidOut
        const wrong = isOpen
          ? `is ${row.status}, its refund ${row.refund}; at the provider ${status} (${order.outcome})`
          : mismatch(positions.get(id), {
              [`external ${row.source}`]: inUnits(refunded - received, row.source),
              [`destination ${row.destination}`]: inUnits(kept, row.destination),
            })
        return wrong
          ? [{ ids: [id], what: `order ${id} (${order.direction}, ${order.outcome}, ${row.status}) ${wrong}` }]
          : []
      })
    },
    payAgain(number) {
      const paid = paycrest.orders.filter(({ payouts }) => payouts > 0)[number]
      if (paid) paid.payouts++
    },
    figures: () => ({ objects: paycrest.orders.length, faults: faults() }),
  }
}

/** Money of this currency: the service counts no fraction of a unit. */
const inUnits = (value: bigint, currency: string): bigint => value / 10n ** BigInt(18 - (PLACES[currency] ?? 6))

/** Paycrest at its worst: broken, late, forgetting what it did, telling what was. It never lies about an end. */
function misbehave(paycrest: FakePaycrest, random: Random): () => number {
  const { happens: fault, count } = misbehaviour(random)
  paycrest.spoil = (line) => {
    if (line.startsWith('GET /sender/orders/') && fault(0.003))
      return { status: 429, body: '{"status":"error","message":"x","data":{"retry_after":1,"limit":20}}' }
    if (!fault(0.08)) return undefined
    return random.pick([
      ...[...broken(random, 300), 'silent' as const],
      { status: 200, body: '{"status":"success","data":"none"}' },
    ] as const)
  }
  paycrest.distort = (order) => {
    if (!ENDED.includes(String(order.status)) && fault(0.05)) return { ...order, status: 'something new' }
    if (fault(0.1)) return { ...order, status: 'initiated', amountPaid: '0' }
    return fault(0.1) ? { ...order, surprise: { deep: [1] } } : order
  }
  return count
}
