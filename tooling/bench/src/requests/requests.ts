import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { ProofReport } from '@payments/proof'
import {
  createKeyFor,
  median,
  rows,
  runService,
  type StandDatabase,
  samples,
  signedIn,
  startDatabase,
} from '@payments/stand'
import { Client } from 'pg'
import { request } from 'undici'
import { type LoadRequest, type Result, sendLoad } from '../servers/load.ts'
import { processTime, serverTime } from '../servers/server-time.ts'
import { LARGE, type RunningServer, residentBytes, startFloor, startGateway } from '../servers/servers.ts'
import { seed } from '../tables/seed.ts'
import { type Case, domainCases, httpCases, START, type Stand } from './cases.ts'
import type { FloorCase } from './floor.ts'
import { rowsWritten } from './rows-written.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9)
const SCALE = Number(process.env.BENCH_SCALE ?? 1)
/** Root folder of another checkout, with its packages installed, to compare with. */
const BASELINE = process.env.BENCH_BASELINE
/** Part of the name of the requests that are measured, of those of all domains; absent for those that a benchmark has by itself. */
const CASE = process.env.BENCH_CASE
/** Objects of every kind that the organisation has before. */
const OBJECTS = 200
/** Code is compiled, connections prepare their statements, and the service shows how many requests a round may have. */
const WARM_UP = 200
/** One client address may have this many sessions of one link open. */
const SESSIONS_PER_LINK = 5
/** A process counts its requests, but refuses none. */
export const LIMITS = { RATE_LIMIT_AUTH: '100000000', LOG_LEVEL: 'fatal' }
/** The throughput that half of the requests of a kind and each of them have at least, of their floors, and half of all of another checkout. */
const LEAST = { half: 0.6, each: 0.33, ofBaseline: 0.95 }
const FLOOR = fileURLToPath(new URL('./floor.ts', import.meta.url))

/** What is compared: the cases, how long and how often at most each is sent in a round, and the role of the service. */
interface Comparison {
  readonly cases: readonly Case[]
  /** How long the service answers requests in a round: a case that is slow takes no more of the run, and a fast one no less. */
  readonly seconds: number
  readonly most: { readonly POST: number; readonly GET: number }
  readonly role: 'all' | 'gateway'
}

/** A round of requests, with the processor time that the program and the database server took for each, µs. */
interface Round extends Result {
  readonly program: number
  readonly server: number
}

type Floor = Awaited<ReturnType<typeof startFloor>>

/**
 * Every domain's main writes and reads against a floor that inserts or reads the same rows, alternating. Ends with a look-up of every id that was acknowledged.
 * Each write has a database of its own: what another one has created is polled by the worker from then on, and takes a part of the machine that no request of this
 * one asked for (`payments` and `open` measure it).
 * With BENCH_BASELINE also against another checkout on the same database: ratios of different machines are not comparable.
 * @throws Error when an acknowledged id is not there
 */
export async function benchDomains(print: (line: string) => void): Promise<ProofReport> {
  const all = chosen(domainCases)
  const reads = all.filter((each) => !isWrite(each))
  const ratios: Record<string, number> = {}
  const toBaseline: number[] = []
  let acknowledged = 0
  for (const cases of [reads, ...all.filter(isWrite).map((each) => [each])].filter(({ length }) => length > 0)) {
    const compared = await compare(print, {
      cases,
      seconds: 0.6,
      most: { POST: 400, GET: 4000 },
      role: 'all',
    })
    Object.assign(ratios, compared.ratios)
    toBaseline.push(...compared.toBaseline)
    acknowledged += compared.acknowledged
  }
  print(found(acknowledged))
  return { findings: slowFindings(ratios, toBaseline), figures: { acknowledged, throughputToThatOfTheFloor: ratios } }
}

function slowFindings(ratios: Readonly<Record<string, number>>, toBaseline: readonly number[]): string[] {
  const slow = Object.entries(ratios)
    .filter(([, ratio]) => ratio < LEAST.each)
    .map(([name, ratio]) => `${name} has ${ratio} of the throughput of its floor`)
  for (const method of ['GET', 'POST']) {
    const half = median(Object.entries(ratios).flatMap(([name, ratio]) => (name.startsWith(method) ? [ratio] : [])))
    if (half < LEAST.half)
      slow.push(`half of the ${method} requests have less than ${LEAST.half} of their floors, ${half}`)
  }
  const before = median(toBaseline)
  if (before < LEAST.ofBaseline)
    slow.push(`half of the requests have ${before} of the throughput of the other checkout`)
  return slow
}

/** A gateway alone against the floor and, with BENCH_BASELINE, against that of another checkout on the same database. */
export async function benchHttp(print: (line: string) => void): Promise<void> {
  const { acknowledged } = await compare(print, {
    cases: chosen(httpCases),
    seconds: 1.5,
    most: { POST: 2000, GET: 4000 },
    role: 'gateway',
  })
  print(found(acknowledged))
}

const found = (acknowledged: number): string =>
  `\n  ${acknowledged} ids were acknowledged, and all of them are in the database`

const chosen = (cases: readonly Case[]): readonly Case[] =>
  CASE === undefined ? cases : domainCases.filter(({ name }) => name.includes(CASE))

const isWrite = ({ name }: Case): boolean => name.startsWith('POST')

async function compare(
  print: (line: string) => void,
  { cases, seconds, most, role }: Comparison,
): Promise<{ ratios: Readonly<Record<string, number>>; toBaseline: readonly number[]; acknowledged: number }> {
  const at = await startDatabase({ settings: LARGE })
  const running: RunningServer[] = []
  const client = new Client({ connectionString: at.ownerUrl })
  const start = async <T extends RunningServer>(server: Promise<T>): Promise<T> => {
    const started = await server
    running.push(started)
    return started
  }
  try {
    const starts = cases.some(({ name }) => name === START)
    const stand = await prepare(at, starts ? most.POST : 0)
    await client.connect()
    const writes = await recordWrites(cases, stand, at, client)
    const service = await start(startGateway({ ...LIMITS, PROCESS_ROLE: role }, at))
    print(`  memory of the idle process: ${Math.round(residentBytes(service) / 2 ** 20)} MiB`)
    const floor = await start(startFloor(FLOOR, at))
    const others: Record<string, RunningServer> = { 'the floor': floor }
    if (BASELINE)
      others['the other checkout'] = await start(startGateway({ ...LIMITS, PROCESS_ROLE: role }, at, BASELINE))
    let acknowledged = 0
    const ratios: Record<string, number> = {}
    const toBaseline: number[] = []
    // Reads first: a list is as long as it was seeded, not as long as the writes before have made it.
    for (const each of [...cases].sort((one, other) => Number(isWrite(one)) - Number(isWrite(other)))) {
      const write = writes.get(each)
      const own = write?.own ?? (await recordRead(each, stand, service))
      await handOver(floor, own)
      const size = { seconds: SCALE * seconds, most: SCALE * most[isWrite(each) ? 'POST' : 'GET'] }
      const servers = [service, ...Object.values(others)]
      const { results, ids } = await measure(client, each, stand, servers, size)
      const [first = [], ...rest] = results
      print(`\n  ${each.domain}, ${each.name}\n    ${'the service'.padEnd(28)}${columns(first)}`)
      for (const [index, name] of Object.keys(others).entries()) {
        const ratio = ratioOf(results, index + 1)
        ratios[each.name] ??= ratio
        if (index > 0) toBaseline.push(ratio)
        print(`    ${name.padEnd(28)}${columns(rest[index] ?? [])}   ratio ${ratio.toFixed(2)}`)
      }
      if (write) acknowledged += await checkAcknowledged(client, each.name, write.table, ids)
    }
    return { ratios, toBaseline, acknowledged }
  } finally {
    await client.end()
    await Promise.all(running.map((each) => each.stop()))
    await at.close()
  }
}

/** Throughput of the service to that of another server, the median of the rounds. */
const ratioOf = ([service = [], ...others]: readonly (readonly Round[])[], server: number): number =>
  Math.round(100 * median(service.map(({ rate }, round) => rate / (others[server - 1]?.[round]?.rate ?? Number.NaN)))) /
  100

const columns = (results: readonly Round[]): string => {
  const of = (pick: (round: Round) => number, digits: number) => median(results.map(pick)).toFixed(digits).padStart(8)
  return `${of(({ rate }) => rate, 0)}/s   p50${of(({ p50 }) => p50, 2)} ms   p99${of(({ p99 }) => p99, 2)} ms   processor${of(({ program }) => program, 0)} µs, of PostgreSQL${of(({ server }) => server, 0)} µs`
}

/** An organisation with objects of every kind, links to pay by which so many sessions are started in a round, and a customer with cNGN. */
export async function prepare(at: StandDatabase, sessions: number): Promise<Stand> {
  const { process, runtime, stop } = await runService(at, { settings: { DATA_DIR: at.dataDir }, logLevel: 'fatal' })
  try {
    const { actor, cngnCustomerId } = await seed(process, at.ownerUrl, OBJECTS)
    const { organisationId } = actor
    const caller = process.createCaller(actor)
    const links: string[] = []
    while (links.length < Math.ceil((ROUNDS * sessions * SCALE + WARM_UP) / SESSIONS_PER_LINK) + 2)
      links.push((await caller.collections.create(samples.collection.body())).id)
    const [customer] = await rows<{ id: string }>(at, 'select id from customers order by created_at limit 1')
    return {
      ...{ actor, links, cngnCustomerId, customerId: customer?.id ?? '' },
      key: await createKeyFor(runtime, { organisationId, environment: 'test', scopes: ['api:read', 'api:write'] }),
      session: (await signedIn(runtime, { organisationId, role: 'owner' })).accessToken,
    }
  } finally {
    await stop()
  }
}

interface RecordedWrite {
  readonly own: FloorCase
  readonly table: string | undefined
}

/** Sends each write once to a process without a worker, so that nothing else writes, and returns what the floor is to insert. */
async function recordWrites(
  cases: readonly Case[],
  stand: Stand,
  at: StandDatabase,
  client: Client,
): Promise<ReadonlyMap<Case, RecordedWrite>> {
  const gateway = await startGateway(LIMITS, at)
  try {
    const recorded = new Map<Case, RecordedWrite>()
    for (const each of cases.filter(isWrite)) {
      let answer = { status: 0, reply: '' }
      const { statements, table } = await rowsWritten(client, async () => {
        answer = await send(gateway, each, stand)
        return idOf(answer.reply)
      })
      recorded.set(each, { own: { kind: 'write', statements, ...answer }, table })
    }
    return recorded
  } finally {
    await gateway.stop()
  }
}

/** What the floor is to read: as many rows as the service shows now. */
async function recordRead(each: Case, stand: Stand, service: RunningServer): Promise<FloorCase> {
  const answer = await send(service, each, stand)
  const select = each.select?.(stand) ?? (each.from && selectOf(each.from, stand, countOf(answer.reply)))
  return { kind: 'read', statements: select ? [select] : [], ...answer }
}

/** @throws Error when the reply is no success */
async function send({ origin }: RunningServer, each: Case, stand: Stand): Promise<{ status: number; reply: string }> {
  const { method, path, headers, body } = each.request(stand, randomUUID(), 0)
  const answer = await request(`${origin}${path}`, { method, headers, ...(body ? { body } : {}) })
  const reply = await answer.body.text()
  if (answer.statusCode >= 300) throw new Error(`${each.name}: ${answer.statusCode} ${reply}`)
  return { status: answer.statusCode, reply }
}

const selectOf = (table: string, { actor }: Stand, rows: number) => ({
  text: `select * from ${table} where organisation_id = $1 order by created_at desc limit ${rows}`,
  value: actor.organisationId,
})

const idOf = (reply: string): string | undefined => (JSON.parse(reply) as { data?: { id?: string } }).data?.id

/** How many rows a reply shows: the items of its list, or one. */
function countOf(reply: string): number {
  const { data } = JSON.parse(reply) as { data: object }
  const list = Array.isArray(data) ? data : Object.values(data).find((value) => Array.isArray(value))
  return Math.max(1, list?.length ?? 1)
}

function handOver({ child }: Floor, own: FloorCase): Promise<void> {
  return new Promise((resolve) => {
    child.once('message', () => resolve())
    child.send({ ...own })
  })
}

/** The rounds of each server, the service first, and the ids that the service acknowledged. */
async function measure(
  client: Client,
  each: Case,
  stand: Stand,
  servers: readonly RunningServer[],
  { seconds, most }: { readonly seconds: number; readonly most: number },
): Promise<{ results: Round[][]; ids: string[] }> {
  const ids: string[] = []
  // The first was recorded.
  let used = 1
  const sendTo = async (server: RunningServer, requests: number): Promise<Round> => {
    const round = randomUUID()
    const first = used
    used += requests
    const one = (n: number): LoadRequest => each.request(stand, `${n}-${round}`, first + n)
    const keep = (reply: string) => {
      const id = idOf(reply)
      if (id) ids.push(id)
    }
    const taken = async () => ({ program: processTime(server.pid), server: await serverTime(client) })
    const began = await taken()
    const result = await sendLoad(server.origin, requests, one, server === servers[0] ? keep : undefined)
    const ended = await taken()
    return {
      ...result,
      program: (ended.program - began.program) / requests,
      server: (ended.server - began.server) / requests,
    }
  }
  const warm: Round[] = []
  for (const server of servers) warm.push(await sendTo(server, WARM_UP))
  const count = Math.round(Math.min(most, seconds * (warm[0]?.rate ?? 0)))
  const results: Round[][] = servers.map(() => [])
  for (let round = 0; round < ROUNDS; round++) {
    // Each round starts with another server, so that a drift of the machine affects all of them.
    for (const place of servers.keys()) {
      const index = (place + round) % servers.length
      results[index]?.push(await sendTo(servers[index] as RunningServer, count))
    }
  }
  return { results, ids }
}

/** @throws Error when an id that the service has acknowledged is not in its table */
async function checkAcknowledged(client: Client, name: string, table: string | undefined, ids: string[]) {
  if (!table || ids.length === 0) throw new Error(`${name}: the rows of its replies are in no table`)
  const { rows } = await client.query<{ found: number }>(
    `select count(*)::int as found from ${table} where id = any($1::uuid[])`,
    [ids],
  )
  if (rows[0]?.found !== ids.length) throw new Error(`${name}: ${ids.length} ids acknowledged, ${rows[0]?.found} found`)
  return ids.length
}
