import { randomUUID } from 'node:crypto'
import { launchGateway, sharedSettings, startDatabase } from '@payments/stand'
import { Client } from 'pg'
import { domainCases, replay } from '../requests/cases.ts'
import { LIMITS, prepare } from '../requests/requests.ts'
import { sendLoad } from '../servers/load.ts'
import { serverTime } from '../servers/server-time.ts'
import { LARGE } from '../servers/servers.ts'
import { type CpuTime, inspect } from './cpu.ts'
import { COUNTING, showStatements, statementsOf } from './statements.ts'

const REQUESTS = Math.max(50, Math.round(400 * Number(process.env.BENCH_SCALE ?? 1)))
const SHOWN = 8
/** `gateway` leaves out what a worker does beside the requests. */
const ROLE = process.env.BENCH_ROLE ?? 'all'
/** Functions are shown with `BENCH_FUNCTIONS=<number>`. */
const FUNCTIONS = Number(process.env.BENCH_FUNCTIONS ?? 0)

/**
 * Where the time of each request goes: statements that it sends, their time in the server, and processor time of the gateway by package. For
 * finding what to improve: with 16 requests at a time, on the one process that serves them.
 */
export async function benchProfile(print: (line: string) => void): Promise<void> {
  const at = await startDatabase({ settings: [...LARGE, ...COUNTING] })
  const client = new Client({ connectionString: at.ownerUrl })
  const cases = [...domainCases, replay].filter(({ name }) => name.includes(process.env.BENCH_CASE ?? ''))
  try {
    await client.connect()
    const stand = await prepare(at, 3 * REQUESTS)
    const gateway = await launchGateway(
      sharedSettings(at, { ...LIMITS, PROCESS_ROLE: ROLE, NODE_OPTIONS: '--inspect=127.0.0.1:0' }),
    )
    const inspector = await inspect(gateway.output())
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
        const before = await serverTime(client)
        showTime(print, await inspector.profile(() => send(REQUESTS)))
        print(`    ${Math.round(((await serverTime(client)) - before) / REQUESTS)} µs of processor time of PostgreSQL`)
        showStatements(print, await statementsOf(client, REQUESTS, () => send(REQUESTS)))
      }
    } finally {
      inspector.close()
      await gateway.stop()
    }
  } finally {
    await client.end()
    await at.close()
  }
}

function showTime(print: (line: string) => void, { microseconds, shares, functions }: CpuTime): void {
  print(`    ${Math.round(microseconds / REQUESTS)} µs of processor time: ${most(shares, SHOWN).join(', ')}`)
  for (const line of most(functions, FUNCTIONS)) print(`      ${line}`)
}

const most = (shares: ReadonlyMap<string, number>, count: number): string[] =>
  [...shares]
    .sort(([, one], [, other]) => other - one)
    .slice(0, count)
    .map(([name, share]) => `${name} ${(100 * share).toFixed(1)} %`)
