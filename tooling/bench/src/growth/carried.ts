import { setTimeout as sleep } from 'node:timers/promises'
import { percentile, until } from '@payments/stand'
import type { Client } from 'pg'
import { type Counted, costOf } from '../servers/cost.ts'
import { KINDS, type Kind, type Merchant, payOne, unsent } from './paid.ts'

/** What a merchant may wait for one of a hundred creations, and from one of a hundred events to its webhook, ms. */
const MOST = { creation: 250, webhook: 1000 }
const FIRST_PER_SECOND = 4
const FASTER = 1.25
/** How long a rate is tried at least, and how many payments: of fewer, the slowest hundredth is the slowest one. */
const [STEP_SECONDS, STEP_PAYMENTS] = [20, 300]
const HOLD_SECONDS = 600 * Number(process.env.BENCH_SCALE ?? 1)
/** So many payments under way at once say that they are made more slowly than they are asked for. */
const UNDER_WAY = 300
const PATIENCE = { patienceMs: 300_000, everyMs: 200 }

/** How payments of all kinds fare at a rate that does not heed how fast they are made. */
interface Carried {
  readonly perSecond: number
  readonly seconds: number
  /** The slowest hundredth, ms: of creations from the time at which they were due, of webhooks from the event. */
  readonly creation: number
  readonly webhook: number
  /** Busy processor cores. What the merchants and their receiver take is not among them. */
  readonly cores: { readonly gateways: number; readonly workers: number; readonly server: number }
  /** What of that one payment takes, ms: more than in a burst, where one round of a task serves many, and with what idle processes take. */
  readonly each: number
}

/**
 * The payments a second that one machine carries for ten minutes, with two gateways and two workers, whose merchants share the machine:
 * rates rise until one is too fast, and the one before, or less, is held.
 */
export async function benchCarried(
  print: (line: string) => void,
  counted: Counted,
  merchants: readonly Merchant[],
): Promise<Carried | undefined> {
  // Code is compiled, and each connection has planned what it repeats.
  await offer(counted, merchants, FIRST_PER_SECOND, STEP_SECONDS)
  const tried = async (rate: number, seconds: number) => {
    const carried = await offer(counted, merchants, rate, seconds)
    print(line(carried))
    return carried
  }
  const isCarried = async (rate: number) => {
    const seconds = Math.max(STEP_SECONDS, STEP_PAYMENTS / rate)
    // The machine is shared: what another did once says nothing of this one.
    return isWell(await tried(rate, seconds)) || isWell(await tried(rate, seconds))
  }
  let rate = FIRST_PER_SECOND
  while (await isCarried(rate)) rate *= FASTER
  while (rate > FIRST_PER_SECOND) {
    rate /= FASTER
    const held = await tried(rate, HOLD_SECONDS)
    if (isWell(held)) return held
  }
  return undefined
}

const isWell = ({ creation, webhook }: Carried): boolean => creation <= MOST.creation && webhook <= MOST.webhook

const line = ({ perSecond, seconds, creation, webhook, cores, each }: Carried): string =>
  `  ${perSecond} payments a second for ${seconds} s: p99 ${creation} ms of a creation, ${webhook} ms of a webhook; ` +
  `cores: gateways ${cores.gateways}, workers ${cores.workers}, PostgreSQL ${cores.server}: ${each} ms a payment`

async function offer(
  counted: Counted,
  merchants: readonly Merchant[],
  rate: number,
  seconds: number,
): Promise<Carried> {
  const { client } = counted
  const creations: number[] = []
  const underWay = new Set<Promise<void>>()
  const since = await now(client)
  let isBehind = false
  const cost = await costOf(counted, async () => {
    const started = performance.now()
    for (let n = 0; n < rate * seconds && !isBehind; n++) {
      const due = started + (n * 1000) / rate
      await sleep(Math.max(0, due - performance.now()))
      const kind = KINDS[n % KINDS.length] as Kind
      const paying = payOne(kind, merchants[n % merchants.length] as Merchant, () =>
        creations.push(performance.now() - due),
      )
      const one: Promise<void> = paying.finally(() => underWay.delete(one))
      underWay.add(one)
      isBehind = underWay.size > UNDER_WAY
    }
  })
  await Promise.all(underWay)
  await until('All webhooks are sent', async () => (await unsent(client)) === 0, PATIENCE)
  const cores = (microseconds: number) => Math.round(microseconds / cost.seconds / 1e4) / 100
  return {
    perSecond: Math.round(10 * rate) / 10,
    seconds,
    creation: isBehind ? Number.POSITIVE_INFINITY : Math.round(percentile(creations, 0.99)),
    webhook: await slowestWebhooks(client, since),
    cores: { gateways: cores(cost.gateways), workers: cores(cost.workers), server: cores(cost.server) },
    each: Math.round((cost.gateways + cost.workers + cost.server) / rate / cost.seconds / 1000),
  }
}

const now = async (client: Client): Promise<Date> =>
  (await client.query<{ now: Date }>('select now()')).rows[0]?.now as Date

/** The slowest hundredth of the times from an event to the stored result of its delivery, ms. */
async function slowestWebhooks(client: Client, since: Date): Promise<number> {
  const { rows } = await client.query<{ ms: number }>(
    `select round(1000 * percentile_cont(0.99) within group (order by extract(epoch from d.updated_at - e.created_at)))::int as ms
       from events e join webhook_deliveries d on d.event_id = e.id where e.created_at >= $1`,
    [since],
  )
  return rows[0]?.ms ?? 0
}
