import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { launchGateway, sharedSettings, startDatabase } from '@payments/stand'
import { Client } from 'pg'
import { domainCases, replay } from '../requests/cases.ts'
import { LIMITS, prepare } from '../requests/requests.ts'
import { sendLoad } from '../servers/load.ts'
import { processTime, serverTime } from '../servers/server-time.ts'
import { LARGE } from '../servers/servers.ts'
import { COUNTING, showStatements, statementsOf } from './statements.ts'

const REQUESTS = Math.max(50, Math.round(400 * Number(process.env.BENCH_SCALE ?? 1)))
/** `gateway` leaves out what a worker does beside the requests. */
const ROLE = process.env.BENCH_ROLE ?? 'all'
/** A folder for V8's profile of the gateway, which the developer tools of a browser show by function: of one case, with `BENCH_CASE`. */
const FOLDER = process.env.BENCH_PROFILE

/**
 * Where the time of each request goes: statements that it sends, their time in the server, and processor time of the gateway. For
 * finding what to improve: with 16 requests at a time, on the one process that serves them.
 */
export async function benchProfile(print: (line: string) => void): Promise<void> {
  const at = await startDatabase({ settings: [...LARGE, ...COUNTING] })
  const client = new Client({ connectionString: at.ownerUrl })
  const cases = [...domainCases, replay].filter(({ name }) => name.includes(process.env.BENCH_CASE ?? ''))
  try {
    await client.connect()
    const stand = await prepare(at, 3 * REQUESTS)
    const profiled: Record<string, string> = FOLDER
      ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${resolve(FOLDER)}` }
      : {}
    const gateway = await launchGateway(sharedSettings(at, { ...LIMITS, PROCESS_ROLE: ROLE, ...profiled }))
    try {
      for (const each of cases) {
        let used = 1
        const send = (requests: number) => {
          const [round, first] = [randomUUID(), used]
          used += requests
          return sendLoad(gateway.url, requests, (n) => each.request(stand, `${n}-${round}`, first + n))
        }
        await send(REQUESTS)
        print(`\n  ${each.name}`)
        const taken = async () => [processTime(gateway.pid), await serverTime(client)] as const
        const before = await taken()
        await send(REQUESTS)
        const [own, server] = (await taken()).map((now, index) => Math.round((now - (before[index] ?? 0)) / REQUESTS))
        print(`    ${own} µs of processor time of the gateway, ${server} µs of PostgreSQL`)
        showStatements(print, await statementsOf(client, REQUESTS, () => send(REQUESTS)))
      }
    } finally {
      await gateway.stop()
    }
  } finally {
    await client.end()
    await at.close()
  }
}
