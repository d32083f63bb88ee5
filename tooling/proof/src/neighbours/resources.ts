import { setTimeout as sleep } from 'node:timers/promises'
import { call, median, newKey, percentile, type StandDatabase, samples, startReceivers } from '@payments/stand'
import { newAttacker, newPaidSession } from './organisations.ts'
import { type Attackers, startAttackers } from './working-attackers.ts'

/** The latencies of a well-behaved organisation in each round, and its requests that failed. */
interface Latencies {
  readonly rounds: readonly (readonly number[])[]
  readonly failures: readonly string[]
}

interface Part {
  readonly latencies: readonly number[]
  readonly failures: readonly string[]
}

export interface ResourceReport {
  readonly quiet: Latencies
  /** Beside the same attackers, aimed at a server that does nothing. */
  readonly besideNull: Latencies
  readonly attacked: Latencies
}

export interface ResourceSize {
  /** How often each part is measured. */
  readonly rounds: number
  /** Requests of the well-behaved organisation in each part of a round. */
  readonly requests: number
  /** Events over which the attackers run dry runs. */
  readonly events: number
}

interface Service {
  readonly url: string
  readonly database: Pick<StandDatabase, 'pool'>
}

/**
 * Measures a well-behaved organisation in three parts: quiet, beside a null server under attack, and under attack itself, in turn.
 * @param target `costs`: beside documents and images, of which the service must have the worker
 */
export async function measureResourceAttacks(
  service: Service,
  size: ResourceSize,
  target: 'resources' | 'costs' = 'resources',
): Promise<ResourceReport> {
  const victim = await wellBehaved(service)
  const attacker = await newAttacker(service, { ...size, endpoints: 1, address: 'https://merchant.example' })
  const sessionId = target === 'costs' ? await newPaidSession(attacker) : ''
  const nullServer = await startReceivers(['well'])
  const attackers: Attackers = startAttackers()
  const beside = async (url: string) => {
    const order = { target, attacker: { ...attacker, sessionId, url } }
    return (await attackers.during(order, () => victim(size.requests))).measured
  }
  try {
    await victim(20)
    const rounds: { quiet: Part; besideNull: Part; attacked: Part }[] = []
    while (rounds.length < size.rounds)
      rounds.push({
        quiet: await victim(size.requests),
        besideNull: await beside(nullServer.origins[0] ?? ''),
        attacked: await beside(service.url),
      })
    const all = (part: keyof ResourceReport) => ({
      rounds: rounds.map((round) => round[part].latencies),
      failures: rounds.flatMap((round) => round[part].failures),
    })
    return { quiet: all('quiet'), besideNull: all('besideNull'), attacked: all('attacked') }
  } finally {
    attackers.close()
    await nullServer.close()
  }
}

/** Milliseconds of each part, and how many times longer the p99 is under attack than beside the null server: the median of the rounds. */
export function resourceFigures({ quiet, besideNull, attacked }: ResourceReport) {
  const times = ({ rounds }: Latencies) => ({
    p50: Math.round(percentile(rounds.flat(), 0.5)),
    p99: Math.round(percentile(rounds.flat(), 0.99)),
    worst: Math.round(Math.max(...rounds.flat())),
  })
  const timesLonger = (part: number, than: Latencies) =>
    rounded(
      median(attacked.rounds.map((own, round) => percentile(own, part) / percentile(than.rounds[round] ?? [], part))),
    )
  return {
    ...{ quiet: times(quiet), besideNull: times(besideNull), attacked: times(attacked) },
    factor: timesLonger(0.99, besideNull),
    /** Against its own figure while nobody attacks. */
    ofMedian: timesLonger(0.5, quiet),
  }
}

const rounded = (value: number): number => Math.round(value * 100) / 100

/** An organisation that creates and reads customers, one request at a time, and checks every reply. */
async function wellBehaved(service: Service): Promise<(count: number) => Promise<Part>> {
  const token = await newKey(service.database)
  let last = ''
  return async (count) => {
    const latencies: number[] = []
    const failures: string[] = []
    for (let n = 0; n < count; n++) {
      const creates = n % 4 === 0
      const line = creates ? 'POST /v1/customers' : `GET /v1/customers/${last}`
      const body = creates ? samples.customer.body() : undefined
      const started = performance.now()
      try {
        const { status, data } = await call(service, line, { token, body })
        if (creates) last = data?.id ?? ''
        if (status !== (creates ? 201 : 200) || data?.id !== last) failures.push(`#${n} ${status}`)
      } catch (error) {
        failures.push(`#${n} ${(error as Error).message}`)
      }
      latencies.push(performance.now() - started)
      await sleep(5)
    }
    return { latencies, failures }
  }
}
