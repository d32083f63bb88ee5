import { setTimeout as sleep } from 'node:timers/promises'
import { call, percentile, type StandDatabase, samples, startReceivers } from '@payments/stand'
import { newAttacker, newPaidSession, organisation } from './organisations.ts'
import { type Attackers, startAttackers } from './working-attackers.ts'

/** The latencies of a well-behaved organisation, and its requests that failed. */
interface Latencies {
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
  /** Requests of the well-behaved organisation in each part. */
  readonly requests: number
  /** Events over which the attackers run dry runs. */
  readonly events: number
}

interface Service {
  readonly url: string
  readonly database: Pick<StandDatabase, 'pool'>
}

/**
 * Measures a well-behaved organisation in three parts: quiet, beside a null server under attack, and under attack itself.
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
    const quiet = await victim(size.requests)
    const besideNull = await beside(nullServer.origins[0] ?? '')
    return { quiet, besideNull, attacked: await beside(service.url) }
  } finally {
    attackers.close()
    await nullServer.close()
  }
}

/** Milliseconds of each part, and how many times longer the p99 is under attack than beside the null server. */
export function resourceFigures({ quiet, besideNull, attacked }: ResourceReport) {
  const times = ({ latencies }: Latencies) => ({
    p50: Math.round(percentile(latencies, 0.5)),
    p99: Math.round(percentile(latencies, 0.99)),
    worst: Math.round(Math.max(...latencies)),
  })
  const factor = percentile(attacked.latencies, 0.99) / percentile(besideNull.latencies, 0.99)
  const parts = { quiet: times(quiet), besideNull: times(besideNull), attacked: times(attacked) }
  /** Against its own figure while nobody attacks. */
  const ofMedian = percentile(attacked.latencies, 0.5) / percentile(quiet.latencies, 0.5)
  const rounded = (value: number) => Math.round(value * 100) / 100
  return { ...parts, factor: rounded(factor), ofMedian: rounded(ofMedian) }
}

/** An organisation that creates and reads customers, one request at a time, and checks every reply. */
async function wellBehaved(service: Service): Promise<(count: number) => Promise<Latencies>> {
  const { key: token } = await organisation(service.database)
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
