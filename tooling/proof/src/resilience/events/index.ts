import {
  bootstrap,
  type EventStand,
  embeddedEventStand,
  end,
  percentile,
  type Role,
  startReceivers,
} from '@payments/stand'
import type { Proof, ProofOptions } from '../../proof.ts'
import { type Outcome, runEvents } from './run.ts'

interface Size {
  /** Events of the big run and of the run with kills. */
  readonly events: number
  readonly endpoints: number
  /** Pairs of runs with and without the bad endpoints, and the events of each run, 20 a second. */
  readonly pairs: number
  readonly pairEvents: number
  readonly kills: number
}

interface Report {
  readonly big: Outcome
  readonly killed: Outcome
  /** Relative change of the healthy endpoints' latency by the bad ones, one value for each pair. */
  readonly change: { readonly median: readonly number[]; readonly p99: readonly number[] }
}

const RATE = 20

/** One endpoint hangs, one always fails, the others answer. */
const rolesOf = (endpoints: number): Role[] => [
  'hang',
  'fail',
  ...Array.from({ length: endpoints - 2 }, () => 'well' as const),
]

/** Every event to every healthy endpoint, beside a hanging and a failing one; how much these cost; and with the worker killed. */
export async function deliverEvents(
  size: Size,
  openEventStand: (devTargets: readonly string[]) => Promise<EventStand>,
  say: (line: string) => void,
): Promise<Report> {
  const roles = rolesOf(size.endpoints)
  const receivers = await startReceivers(roles)
  const stand = await openEventStand(receivers.origins)
  try {
    const worker = stand.worker()
    const everybody: readonly Role[] = ['well', 'hang', 'fail']
    await runEvents(stand, receivers, roles, { events: 20, roles: everybody })
    const big = await runEvents(stand, receivers, roles, { events: size.events, roles: everybody, patience: 600 })
    say(`all        ${line(big)}`)
    const change = { median: [] as number[], p99: [] as number[] }
    for (let pair = 0; pair < size.pairs; pair++) {
      const plan = { events: size.pairEvents, rate: RATE }
      const both: Partial<Record<'with' | 'without', Outcome>> = {}
      for (const side of pair % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const)) {
        both[side] = await runEvents(stand, receivers, roles, {
          ...plan,
          roles: side === 'with' ? everybody : ['well'],
        })
      }
      const relative = (q: number) =>
        percentile(both.with?.latencies ?? [], q) / percentile(both.without?.latencies ?? [], q) - 1
      change.median.push(relative(0.5))
      change.p99.push(relative(0.99))
      say(`pair ${pair + 1}     with ${latency(both.with)}   without ${latency(both.without)}`)
    }
    await end(worker, 'SIGTERM')
    const killed = await runEvents(stand, receivers, roles, {
      events: size.events,
      roles: everybody,
      kills: size.kills,
      patience: 600,
    })
    say(`killed ${killed.kills}x  ${line(killed)}`)
    return { big, killed, change }
  } finally {
    await stand.close()
    await receivers.close()
  }
}

const ms = (value: number): string => `${value.toFixed(0)} ms`
const latency = (outcome: Outcome | undefined): string =>
  `p50 ${ms(percentile(outcome?.latencies ?? [], 0.5))}, p99 ${ms(percentile(outcome?.latencies ?? [], 0.99))}`
const line = (outcome: Outcome): string =>
  `${outcome.events} events to ${outcome.healthy} healthy endpoints in ${outcome.seconds.toFixed(1)} s, ` +
  `${Math.round((outcome.events * outcome.healthy) / outcome.seconds)} deliveries/s, missing ${outcome.missing}, duplicates ${outcome.duplicates}`

const percent = (value: number): number => Math.round(value * 1000) / 10

const SIZES: Readonly<Record<ProofOptions['size'], Size>> = {
  short: { events: 300, endpoints: 8, pairs: 1, pairEvents: 60, kills: 1 },
  full: { events: 10_000, endpoints: 20, pairs: 10, pairEvents: 150, kills: 5 },
}
/** By how much, in percent, the other endpoints may slow down the healthy ones; the short form has too few pairs to judge it. */
const MOST_SLOWER = 10

/** Every event reaches every healthy endpoint beside endpoints that fail, while workers are killed; and how much slower it does. */
export const run: Proof = async ({ size, times, log }) => {
  const sized = { ...SIZES[size], ...(times === undefined ? {} : { kills: times }) }
  const { big, killed, change } = await deliverEvents(sized, embeddedEventStand, log)
  const findings: string[] = []
  for (const [name, { missing, duplicates }] of Object.entries({ big, killed })) {
    if (missing > 0) findings.push(`${name}: ${missing} deliveries are missing`)
    // A killed worker may have sent what it did not record.
    if (duplicates > 0 && name === 'big') findings.push(`${duplicates} events were delivered again`)
  }
  if (killed.kills !== sized.kills) findings.push(`the worker was killed ${killed.kills} times, not ${sized.kills}`)
  const slower: Record<string, object> = {}
  for (const [name, values] of Object.entries(change)) {
    const { mean, low, high } = bootstrap(values)
    slower[name] = { mean: percent(mean), low: percent(low), high: percent(high) }
    if (size === 'full' && low > 0 && percent(high) >= MOST_SLOWER)
      findings.push(`the ${name} of healthy endpoints is ${percent(mean)} % slower beside the others`)
  }
  return {
    findings,
    figures: {
      events: sized.events,
      healthyEndpoints: big.healthy,
      deliveriesPerSecond: Math.round((big.events * big.healthy) / big.seconds),
      kills: killed.kills,
      slowerInPercent: slower,
    },
  }
}
