import { setTimeout as sleep } from 'node:timers/promises'
import { enabledCustomer, type Merchant, rows, samples, WALLETS } from '@payments/stand'
import { created, type Part } from './part.ts'
import type { ProviderStand } from './stand.ts'

/** Keys of other accounts than those of the stand, which the fakes know. */
const OTHERS = { PAYCREST_API_KEY: 'paycrest-key-of-another', CNGN_API_KEY: 'cngn_live_another_0123456789' }
const PATIENCE_MS = 90_000
/** How long the other accounts are asked at least, once the new objects have ended: hours for an order that is hidden. */
const ASKED_MS = 12_000
const FUNDS = 1000

interface Open {
  readonly what: string
  readonly id: string
  /** Operators are told that it waits: its money may be on its way, or its payer may have paid. */
  readonly isTold: boolean
}

/** What must still be so while the other key is set, or the end of all of it. */
interface Row {
  readonly id: string
  readonly status: string
  readonly attention: string | null
}

/**
 * The keys of other accounts of Paycrest and of cNGN are set while objects are open, and one new object is made with each. The accounts of before
 * go on meanwhile: they pay, and money arrives. Nothing of the open objects may follow from what the others do not show; with their own keys
 * again, all end as the books of the fakes say. The worker is not killed, and answers are as documented: only the account is another one.
 */
export async function otherAccounts(
  stand: ProviderStand,
  parts: readonly Part[],
  isMoving: (moving: boolean) => void,
): Promise<string[]> {
  const { cngn, paycrest, worker, database } = stand
  for (const fake of [cngn, paycrest]) Object.assign(fake, { spoil: () => undefined })
  cngn.distort = (page) => page
  paycrest.distort = (order) => order
  isMoving(false)
  const merchant = stand.merchants[0] as Merchant
  const customerId = await customerOf(stand, merchant)
  const offramp = () =>
    created(
      merchant,
      `POST ${samples.offramp.path}`,
      samples.offramp.body({ amount: '40', refundAddress: WALLETS.evm }),
    )
  const payin = (of: Merchant, customer: string) =>
    created(of, 'POST /v1/cngn/payins', { customerId: customer, amount: `${FUNDS}` })
  const pay = (one: { reference?: unknown; account?: unknown }) =>
    cngn.pay(String(one.reference), BigInt((one.account as { amount: string }).amount) * 1_000_000n)

  // Money for a payout, and a payout and an offramp that are on their way.
  const funds = await payin(merchant, customerId)
  await pay(funds)
  await cngn.settle()
  const now = async (ids: readonly string[]): Promise<Row[]> => {
    for (const statement of parts.flatMap(({ hurry }) => hurry)) await rows(database, statement)
    return rows<Row>(
      database,
      `select id, status, attention from cngn_transfers where id = any (array[${ids.map((id) => `'${id}'`).join(', ')}]::uuid[])
       union all select id, status, attention from offramps where id = any (array[${ids.map((id) => `'${id}'`).join(', ')}]::uuid[])`,
    )
  }
  const until = async (ids: readonly string[], is: (row: Row) => boolean): Promise<readonly Row[]> => {
    let found: readonly Row[] = []
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(500)) {
      found = await now(ids)
      if (found.length === ids.length && found.every(is)) return []
    }
    return found.filter((row) => !is(row))
  }
  const described = (found: readonly Row[], why: string) =>
    found.map(({ id, status, attention }) => `${id} is ${status} (attention ${attention}): ${why}`)
  const ended = ({ status }: Row) => ['completed', 'delivered'].includes(status)
  const early = await until([funds.id], ended)
  if (early.length > 0) return described(early, 'the stand could not be prepared')
  const paid = await offramp()
  paycrest.receive(paid.id, String(paid.deposit.amount))
  const payout = await created(merchant, 'POST /v1/cngn/payouts', {
    ...{ customerId, amount: '77', bankAccount: { accountNumber: '0123456799', bankCode: '058' } },
  })
  const begun = await until([paid.id, payout.id], ({ status }) => status === 'processing')
  if (begun.length > 0) return described(begun, 'the stand could not be prepared')

  await worker.stop()
  // Nobody has asked about these yet: their payers pay while the other keys are set.
  const [fresh, waiting] = [await offramp(), await payin(merchant, customerId)]
  const open: Open[] = [
    { what: 'an offramp that is being paid out', id: paid.id, isTold: true },
    { what: 'a payout that was sent', id: payout.id, isTold: true },
    { what: 'an offramp whose payer has just paid', id: fresh.id, isTold: false },
    { what: 'a payin whose payer has just paid', id: waiting.id, isTold: true },
  ]
  const ids = open.map(({ id }) => id)
  const before = new Map((await now(ids)).map(({ id, status }) => [id, status]))
  const other = await stand.otherGateway(OTHERS)
  const findings: string[] = []
  try {
    await stand.restartWith(OTHERS)
    await worker.ready()
    const theirs = await customerOf(stand, other.merchant)
    const newOfframp = await created(
      other.merchant,
      `POST ${samples.offramp.path}`,
      samples.offramp.body({ amount: '30', refundAddress: WALLETS.evm }),
    )
    const newPayin = await payin(other.merchant, theirs)
    paycrest.receive(newOfframp.id, String(newOfframp.deposit.amount))
    paycrest.receive(fresh.id, String(fresh.deposit.amount))
    await pay(newPayin)
    await pay(waiting)
    isMoving(true)
    findings.push(
      ...described(
        await until([newOfframp.id, newPayin.id], ended),
        'it was made with the key of now, and has not ended',
      ),
    )
    for (const end = Date.now() + ASKED_MS; Date.now() < end; await sleep(500)) {
      // The time of the payin is over, and an order that is hidden has been so for hours.
      await rows(
        database,
        `update cngn_transfers set due_at = now() - interval '2 hours' where id = '${waiting.id}' and status = 'pending'`,
      )
      await rows(database, "update fiat_polls set cancelled_since = cancelled_since - interval '2 hours'")
      await now(ids)
    }
    const found = new Map((await now(ids)).map((row) => [row.id, row]))
    for (const { what, id, isTold } of open) {
      const { status, attention } = found.get(id) as Row
      if (status !== before.get(id))
        findings.push(`${what} (${id}) became ${status} while the key of another account was set`)
      if (isTold && attention !== 'other_credentials')
        findings.push(`${what} (${id}) waits for its key, and operators are told ${attention}`)
    }
  } finally {
    await other.stop()
    await stand.restartWith({})
  }
  await worker.ready()
  findings.push(
    ...described(await until(ids, (row) => ended(row) && row.attention === null), 'it has not ended with its own key'),
  )
  const differences = (await Promise.all(parts.map((part) => part.differences()))).flat()
  const ours = differences.filter((each) => each.isGrave || each.ids.some((id) => ids.includes(id)))
  return [...findings, ...ours.map(({ what }) => what)]
}

/** A customer of a merchant for whom cNGN is enabled. */
const customerOf = ({ runtime }: ProviderStand, { organisationId }: Merchant): Promise<string> =>
  enabledCustomer(runtime, organisationId, 0n, 'live')
