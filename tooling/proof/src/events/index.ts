// Webhooks under load: `node tooling/proof/src/events/index.ts [--events 10000] [--endpoints 20] [--pairs 10] [--kills 5]`.
import { parseArgs } from 'node:util'
import { bootstrap, type EventStage, embeddedStage, end, percentile, type Role, startFleet } from '@payments/stand'
import { type Outcome, run } from './run.ts'

export interface Size {
  /** Events of the big run and of the run with kills. */
  readonly events: number
  readonly endpoints: number
  /** Pairs of runs with and without the bad endpoints, and the events of each run, 20 a second. */
  readonly pairs: number
  readonly pairEvents: number
  readonly kills: number
}

export interface Report {
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
export async function soak(
  size: Size,
  openStage: (devTargets: readonly string[]) => Promise<EventStage>,
  say: (line: string) => void,
): Promise<Report> {
  const roles = rolesOf(size.endpoints)
  const fleet = await startFleet(roles)
  const stage = await openStage(fleet.origins)
  try {
    const worker = stage.worker()
    const everybody: readonly Role[] = ['well', 'hang', 'fail']
    await run(stage, fleet, roles, { events: 20, roles: everybody })
    const big = await run(stage, fleet, roles, { events: size.events, roles: everybody, patience: 600 })
    say(`all        ${line(big)}`)
    const change = { median: [] as number[], p99: [] as number[] }
    for (let pair = 0; pair < size.pairs; pair++) {
      const plan = { events: size.pairEvents, rate: RATE }
      const both: Partial<Record<'with' | 'without', Outcome>> = {}
      for (const side of pair % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const)) {
        both[side] = await run(stage, fleet, roles, { ...plan, roles: side === 'with' ? everybody : ['well'] })
      }
      const relative = (q: number) =>
        percentile(both.with?.latencies ?? [], q) / percentile(both.without?.latencies ?? [], q) - 1
      change.median.push(relative(0.5))
      change.p99.push(relative(0.99))
      say(`pair ${pair + 1}     with ${latency(both.with)}   without ${latency(both.without)}`)
    }
    await end(worker, 'SIGTERM')
    const killed = await run(stage, fleet, roles, {
      events: size.events,
      roles: everybody,
      kills: size.kills,
      patience: 600,
    })
    say(`killed ${killed.kills}x  ${line(killed)}`)
    return { big, killed, change }
  } finally {
    await stage.close()
    await fleet.close()
  }
}

const ms = (value: number): string => `${value.toFixed(0)} ms`
const latency = (outcome: Outcome | undefined): string =>
  `p50 ${ms(percentile(outcome?.latencies ?? [], 0.5))}, p99 ${ms(percentile(outcome?.latencies ?? [], 0.99))}`
const line = (outcome: Outcome): string =>
  `${outcome.events} events to ${outcome.healthy} healthy endpoints in ${outcome.seconds.toFixed(1)} s, ` +
  `${Math.round((outcome.events * outcome.healthy) / outcome.seconds)} deliveries/s, missing ${outcome.missing}, duplicates ${outcome.duplicates}`

const percent = (value: number): string => `${(value * 100).toFixed(1)} %`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      events: { type: 'string', default: '10000' },
      endpoints: { type: 'string', default: '20' },
      pairs: { type: 'string', default: '10' },
      kills: { type: 'string', default: '5' },
    },
  })
  const say = (text: string) => void process.stdout.write(`${text}\n`)
  const size = {
    events: Number(values.events),
    endpoints: Number(values.endpoints),
    pairs: Number(values.pairs),
    pairEvents: 150,
    kills: Number(values.kills),
  }
  const { big, killed, change } = await soak(size, embeddedStage, say)
  let good = big.missing + big.duplicates + killed.missing === 0 && killed.kills === size.kills
  for (const [name, values] of Object.entries(change)) {
    if (values.length === 0) continue
    const { mean, low, high } = bootstrap(values)
    const fine = (low <= 0 && high >= 0) || high < 0.1
    good &&= fine
    say(
      `change of ${name}: ${percent(mean)}, 95 % interval ${percent(low)} to ${percent(high)}${fine ? '' : '  TOO MUCH'}`,
    )
  }
  process.exitCode = good ? 0 : 1
}

if (import.meta.main) await main()
