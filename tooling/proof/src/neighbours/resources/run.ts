import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@payments/kernel'
import type { Runtime } from '@payments/platform'
import { createKeyFor, foundOrganisation } from '@payments/stand'
import type { Attacker } from './generators.ts'

/** Rows of one statement, well below the statement timeout. */
const EVENTS_AT_ONCE = 20_000

/** The latencies of a well-behaved organisation, and its requests that failed. */
export interface Measured {
  readonly latencies: readonly number[]
  readonly failures: readonly string[]
}

export interface AttackReport {
  readonly quiet: Measured
  /** Beside the same generators, aimed at a server that does nothing. */
  readonly besideNull: Measured
  readonly attacked: Measured
}

export interface AttackSize {
  /** Requests of the well-behaved organisation in each part. */
  readonly requests: number
  /** Events over which the attackers run dry runs. */
  readonly events: number
  readonly seed: number
}

/** Measures a well-behaved organisation in three parts: quiet, beside a null server under attack, and under attack itself. */
export async function attack(service: { url: string; runtime: Runtime }, size: AttackSize): Promise<AttackReport> {
  const victim = await wellBehaved(service)
  const attacker = await newAttacker(service, size)
  await victim.measure(20)
  const quiet = await victim.measure(size.requests)
  const nullServer = await start('./null-server.ts')
  const besideNull = await under({ ...attacker, url: nullServer.said }, () => victim.measure(size.requests))
  await end(nullServer.child)
  const attacked = await under(attacker, () => victim.measure(size.requests))
  return { quiet, besideNull, attacked }
}

async function under<T>(attacker: Attacker, measure: () => Promise<T>): Promise<T> {
  const { child } = await start('./attackers.ts', JSON.stringify(attacker))
  try {
    await sleep(500)
    return await measure()
  } finally {
    await end(child)
  }
}

async function start(file: string, ...args: string[]): Promise<{ child: ChildProcess; said: string }> {
  const path = new URL(file, import.meta.url).pathname
  const child = spawn(process.execPath, [path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout as NonNullable<typeof child.stdout>, 'data')) as [Buffer]
  return { child, said: line.toString().trim() }
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.stdin?.end()
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
  await exited
  clearTimeout(timer)
}

/** An organisation that creates and reads customers, one request at a time, and checks every reply. */
async function wellBehaved({ url, runtime }: { url: string; runtime: Runtime }) {
  const organisationId = await foundOrganisation(runtime)
  const key = await createKeyFor(runtime, { organisationId, environment: 'test', scopes: ['api:write'] })
  const send = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': newId() },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  let last = ''
  return {
    async measure(count: number): Promise<Measured> {
      const latencies: number[] = []
      const failures: string[] = []
      for (let n = 0; n < count; n++) {
        const creates = n % 4 === 0
        const started = performance.now()
        try {
          const reply = creates
            ? await send('POST', '/v1/customers', { name: 'Ada', email: `${newId()}@example.com` })
            : await send('GET', `/v1/customers/${last}`)
          const { data } = (await reply.json()) as { data: { id: string } | null }
          if (creates) last = data?.id ?? ''
          if (reply.status !== (creates ? 201 : 200) || data?.id !== last) failures.push(`#${n} ${reply.status}`)
        } catch (error) {
          failures.push(`#${n} ${(error as Error).message}`)
        }
        latencies.push(performance.now() - started)
        await sleep(5)
      }
      return { latencies, failures }
    },
  }
}

/** An organisation with an endpoint, a payment route and many events without deliveries. */
async function newAttacker(
  { url, runtime }: { url: string; runtime: Runtime },
  { events, seed }: AttackSize,
): Promise<Attacker> {
  const organisationId = await foundOrganisation(runtime)
  const key = await createKeyFor(runtime, { organisationId, environment: 'test', scopes: ['api:write'] })
  const create = async (path: string, body: object): Promise<string> => {
    const reply = await fetch(`${url}/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': newId() },
      body: JSON.stringify(body),
    })
    const { data, message } = (await reply.json()) as { data: { id: string } | null; message: string }
    if (!data) throw new Error(`${path}: ${message}`)
    return data.id
  }
  const endpointId = await create('/webhooks', { url: 'https://merchant.example/hooks' })
  const routeId = await create('/payment-routes', {
    ...{ name: 'Route', originChainKey: 'ethereum', destinationChainKey: 'base', destinationCurrency: 'USDC' },
    destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
  })
  for (let left = events; left > 0; left -= EVENTS_AT_ONCE)
    await runtime.pool.query(
      `insert into events (id, organisation_id, environment, type, resource_id, payload, created_at, drained_at)
       select gen_random_uuid(), $1, 'test', 'payment_route.updated', $2, '{}', now() + interval '1 s', now() from generate_series(1, $3::int)`,
      [organisationId, routeId, Math.min(left, EVENTS_AT_ONCE)],
    )
  return { url, key, endpointId, routeId, seed }
}
