import {
  enabledCustomer,
  type Merchant,
  type Random,
  random as randomOf,
  rows,
  type StandDatabase,
  samples,
  until,
} from '@payments/stand'
import { cngnDifferences } from './books/cngn-books.ts'
import type { FakeCngn } from './fakes.ts'
import { agenda, created, misbehaviour, type Part } from './part.ts'
import type { ProviderStand } from './stand.ts'

/** Redemptions to this account fail. */
const REFUSED = '0000000000'
const FUNDS = 10_000_000
/** Different amounts: equal orders wait for each other. */
const AMOUNTS = 60

/** Only rows that nobody has locked: a statement of the proof must not wait for one of the service. */
const unlocked = (condition: string) => `id in (select id from cngn_sends where ${condition} for update skip locked)`

/** Payins, payouts and withdrawals at the cNGN merchant API. */
export async function cngnPart({ cngn, merchants, database, runtime }: ProviderStand, random: Random): Promise<Part> {
  const customers: { readonly id: string; readonly merchant: Merchant }[] = []
  for (const merchant of merchants)
    customers.push({ id: await enabledCustomer(runtime, merchant.organisationId, 0n, 'live'), merchant })
  const hurry = [
    "update cngn_feeds set next_poll_at = least(next_poll_at, now()) where environment = 'live'",
    `update cngn_sends set next_send_at = now() - make_interval(secs => 1) where ${unlocked("status = 'queued' and next_send_at > now()")}`,
    `update cngn_sends set next_check_at = now() - make_interval(secs => 1) where ${unlocked('next_check_at > now()')}`,
    'update cngn_receipts set next_check_at = now() - make_interval(secs => 1) where id in (select id from cngn_receipts where next_check_at > now() for update skip locked)',
    // A process that was killed in its call has not recorded its outcome: no call takes longer than 15 s, nor do the documents say so.
    `update cngn_sends set sent_at = sent_at - interval '121 seconds' where ${unlocked("status = 'claimed' and sent_at between now() - interval '120 seconds' and now() - interval '20 seconds'")}`,
    // The fake shows everything within seconds: what two lists, seconds apart, do not show never reached it. In reality it is minutes.
    `update cngn_sends set sent_at = sent_at - interval '301 seconds', absent_since = absent_since - interval '121 seconds' where ${unlocked(
      "reference is null and sent_at < now() - interval '6 seconds' and absent_since between now() - interval '100 seconds' and now() - interval '4 seconds'",
    )}`,
  ]
  const pay = async ({ id, merchant }: (typeof customers)[number], amount: number) => {
    const { reference, account } = await created(merchant, 'POST /v1/cngn/payins', {
      customerId: id,
      amount: `${amount}`,
    })
    // Most payers pay what the account asks for, which is more than the amount; some the amount itself.
    const paid = random.chance(0.7) ? Number((account as unknown as { amount: string }).amount) : amount
    const deposit = await cngn.pay(reference, BigInt(paid) * 1_000_000n)
    // Some pay a second time, at once or long after the payin has ended.
    if (random.chance(0.15)) later(random.below(20), () => void cngn.pay(reference, BigInt(paid) * 1_000_000n))
    return deposit
  }
  const { later, step } = agenda()
  for (const customer of customers) await pay(customer, FUNDS)
  // From now on payers are asked for the fees, too, and a movement is listed before it has its reference.
  cngn.fees = { fee: 70, vat: 5 }
  cngn.lateReferences = 2
  await cngn.settle()
  await credited(database, hurry, customers.length)
  const faults = misbehave(cngn, random)
  let objects = 0
  /** Redemptions that were on their way. */
  const open = new Set<string>()
  return {
    name: 'cNGN payins, payouts and withdrawals',
    share: 24,
    hurry,
    async add(number) {
      const customer = customers[number % customers.length] as (typeof customers)[number]
      const { id: customerId, merchant } = customer
      objects++
      // Many are equal: same amount, same destination.
      const amount = `${10 + random.below(AMOUNTS)}`
      const kind = random.pick(['payin', 'payout', 'payout', 'withdrawal'] as const)
      if (random.chance(0.03)) cngn.short = 1
      if (kind === 'payin') {
        const reference = await pay(customer, 100 + random.below(900))
        if (random.chance(0.2)) cngn.reject(reference)
      } else if (kind === 'withdrawal')
        await created(merchant, `POST ${samples.withdrawal.path}`, samples.withdrawal.body({ customerId, amount }))
      else {
        const accountNumber = random.chance(0.15) ? REFUSED : random.pick(['0123456789', '0123456780'])
        const body = { customerId, amount, bankAccount: { accountNumber, bankCode: '058' } }
        await created(merchant, 'POST /v1/cngn/payouts', body)
      }
    },
    advance() {
      for (const one of cngn.transactions) {
        const { trx_ref: reference, status } = one
        // A deposit that was declined may be approved after all.
        if (status === 'rejected' && random.chance(0.05)) cngn.approve(reference)
        if (status === 'pending' && one.trx_type === 'redeem') open.add(reference)
        if (status !== 'failed' || !open.delete(reference)) continue
        // A transfer that the bank refused turns out to be paid, long after it was shown as failed.
        if (random.chance(0.1)) later(30, () => Object.assign(one, { status: 'success' }))
      }
      step()
      void cngn.settle()
    },
    differences: () => cngnDifferences(cngn, database),
    payAgain(number) {
      const paid = cngn.transactions.filter(({ trx_type, status }) => trx_type === 'redeem' && status === 'success')[
        number
      ]
      if (paid) cngn.transactions.push({ ...paid, id: `${paid.id}-again`, trx_ref: `${paid.trx_ref}-again` })
    },
    figures: () => ({ objects, faults: faults() }),
  }
}

/** Waits until this many payins have been credited. @throws Error when they are not in time */
const credited = (database: StandDatabase, hurry: readonly string[], count: number): Promise<void> =>
  until('The customers have their cNGN', async () => {
    for (const statement of hurry) await rows(database, statement)
    const done = await rows(database, "select from cngn_transfers where kind = 'payin' and status = 'completed'")
    return done.length === count
  })

/** Errors that say nothing of an order, which the API may have kept: guides/errors. The first is documented as not initiated. */
const KEPT = [
  { status: 400, message: 'Service is currently unavailable. Please try again later.' },
  { status: 400, message: 'Insufficient liquidity at the settlement bank, your redemption is queued' },
  { status: 400, message: 'Permission denied by destination bank: under review' },
  { status: 500, message: 'Response encryption failed' },
] as const
const SENDING = ['POST /redeemAsset', 'POST /withdraw']

/** The API at its worst: broken, late, empty, forgetting to say what it did. It never lies about an end. */
function misbehave(cngn: FakeCngn, random: Random): () => number {
  const { happens: fault, count } = misbehaviour(random)
  cngn.spoil = (line) =>
    fault(0.1)
      ? random.pick([
          ...(SENDING.includes(line) ? KEPT.map((each) => ({ ...each, keeps: random.chance(0.7) })) : []),
          { status: 500, message: 'x' },
          { status: 400, message: 'Service is currently unavailable. Please try again later.' },
          { lateMs: random.below(300) },
          'truncated',
          'lost',
        ] as const)
      : undefined
  cngn.lie(randomOf(random.below(2 ** 31)))
  cngn.distort = (page) =>
    fault(0.03)
      ? []
      : page.map((each) =>
          each.status === 'success' && fault(0.03) ? { ...each, status: 'pending', surprise: { deep: [1] } } : each,
        )
  return count
}
