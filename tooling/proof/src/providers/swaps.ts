import { randomBytes } from 'node:crypto'
import { type Random, rows, samples } from '@payments/stand'
import { signersFrom } from '@payments/swaps'
import { journal, mismatch } from './books/books.ts'
import { broken, created, type Difference, merchantOf, misbehaviour, type Part, TOO_MANY } from './part.ts'
import type { ProviderStand } from './stand.ts'

type Currency = 'EURC' | 'USDC'
interface Row {
  readonly id: string
  readonly status: string
  readonly from: Currency
  readonly to: Currency
  readonly address: string
  readonly destination: string
  readonly refund: string
  readonly open: boolean
}

const EUR = 1_000_000n
const wallet = () => signersFrom(randomBytes(32), 'live').feePayer.address

/** Swaps with Jupiter on a Solana of the proof's own: its chain is the book. */
export function swapsPart({ chain, node, exchange, merchants, database }: ProviderStand, random: Random): Part {
  const faults = misbehave({ chain, node, exchange }, random)
  const late: (() => Promise<unknown>)[] = []
  const paid = new Map<string, bigint>()
  const forgotten = new Set<string>()
  const pay = async (address: string, currency: Currency, amount: bigint) => {
    // A payer repeats a transfer that made it into no block.
    const before = chain.loses
    chain.loses = () => false
    await chain.pay(address, currency, amount)
    chain.loses = before
    paid.set(address, (paid.get(address) ?? 0n) + amount)
  }
  /** Deletes a transaction whose outcome is not known here and final on the chain: a database that was restored to before it was stored. */
  async function forget(): Promise<void> {
    const open = await rows<{ signature: string; swap: string }>(
      database,
      'select signature, swap_id as swap from swap_transactions where outcome is null and swap_id = any ($1)',
      [[...forgotten]],
    )
    for (const { signature, swap } of open) {
      const isFinal = (chain.executed.get(signature)?.slot ?? Number.POSITIVE_INFINITY) <= chain.finalized
      if (!isFinal) continue
      const gone = await rows(
        database,
        'delete from swap_transactions where signature = $1 and outcome is null returning signature',
        [signature],
      )
      if (gone.length > 0) forgotten.delete(swap)
    }
  }
  return {
    name: 'swaps',
    share: 10,
    async add(number) {
      const merchant = merchantOf(merchants, number)
      const [fromCurrency, toCurrency] = random.pick([
        ['EURC', 'USDC'],
        ['USDC', 'EURC'],
      ] as const)
      const given = { fromCurrency, toCurrency, destinationAddress: wallet(), refundAddress: wallet() }
      const swap = await created(merchant, `POST ${samples.swap.path}`, samples.swap.body(given))
      const send = (amount: bigint) => pay(swap.depositAddress, fromCurrency, amount * EUR)
      const plan = random.pick([
        'exact',
        'exact',
        'more',
        'parts',
        'cancelled',
        'twice',
        'frozen',
        'forgotten',
      ] as const)
      if (plan === 'exact') return send(100n)
      if (plan === 'forgotten') forgotten.add(swap.id)
      if (plan === 'forgotten') return send(100n + BigInt(random.below(60)))
      // Its issuer freezes the account when the deposit has come: what is there stays there.
      if (plan === 'frozen') return send(100n).then(() => chain.freeze(swap.depositAddress, fromCurrency))
      if (plan === 'more') return send(100n + BigInt(random.below(60)))
      if (plan === 'cancelled') {
        await merchant.call(`POST /v1/swaps/${swap.id}/cancel`)
        return send(20n + BigInt(random.below(90)))
      }
      await send(plan === 'parts' ? 60n : 100n)
      late.push(() => send(plan === 'parts' ? 40n : 30n))
    },
    advance() {
      void late.shift()?.()
      void forget().catch(() => undefined)
      chain.advance(8, false)
      chain.finalized = Math.max(chain.finalized, chain.slot - 4)
    },
    hurry: [
      `update swap_polls set next_poll_at = least(next_poll_at, now() + interval '300 milliseconds')
        where id in (select id from swap_polls where next_poll_at > now() + interval '300 milliseconds' for update skip locked)`,
    ],
    async differences() {
      const positions = await journal(database, ['swap'])
      const found = await rows<Row>(
        database,
        `select id, status, from_currency as from, to_currency as to, deposit_address as address, destination_address as destination,
                refund_address as refund,
                status in ('awaiting_deposit', 'swapping') or exists (select from swap_transactions t where t.swap_id = s.id and t.outcome is null) as open
           from swaps s where environment = 'live'`,
      )
      const differences: Difference[] = []
      for (const { id, status, from, to, address, destination, refund, open } of found) {
        const held = await chain.tokens(address, from)
        const received = await chain.tokens(destination, to)
        const returned = await chain.tokens(refund, from)
        const sent = paid.get(address) ?? 0n
        const left = status === 'completed' || status === 'refunded' ? held < 100_000n : false
        const wrong =
          open || !left
            ? `is ${status}, its address holds ${held} of ${sent}`
            : mismatch(positions.get(id), {
                [`clearing ${from}`]: held,
                [`external ${from}`]: returned - sent,
                [`destination ${to}`]: received,
              })
        if (wrong) differences.push({ ids: [id], what: `swap ${id} ${wrong}` })
        if (received > 0n && returned + 100n * EUR > sent)
          differences.push({
            ids: [],
            isGrave: true,
            what: `swap ${id} was paid ${sent}, swapped and returned ${returned}`,
          })
      }
      return differences
    },
    async payAgain(number) {
      const [paid] = await rows<Row>(
        database,
        "select destination_address as destination, to_currency as to from swaps where environment = 'live' and status = 'completed' order by id limit 1 offset $1",
        [number],
      )
      if (paid) await chain.pay(paid.destination, paid.to, EUR)
    },
    figures: () => ({ objects: paid.size, faults: faults() }),
  }
}

/** Jupiter and the node at their worst: broken, late, silent, behind, and a network that loses transactions. */
function misbehave({ chain, node, exchange }: Pick<ProviderStand, 'chain' | 'node' | 'exchange'>, random: Random) {
  const { happens, count } = misbehaviour(random)
  const fault = () =>
    happens(0.05)
      ? random.pick([
          ...[...broken(random, 200), 'silent' as const, 'lost' as const],
          { status: 200, body: '{"result":"none"}' },
        ] as const)
      : undefined
  node.spoil = fault
  exchange.spoil = () => (happens(0.01) ? TOO_MANY : fault())
  node.behind = () => (happens(0.05) ? random.below(50) : 0)
  chain.loses = () => happens(0.08)
  return count
}
