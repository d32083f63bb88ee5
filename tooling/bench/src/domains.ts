import { randomUUID } from 'node:crypto'
import type { ProofReport } from '@payments/proof'
import { createKeyFor, median, rows, runService, type StandDatabase, signedIn, startDatabase } from '@payments/stand'
import { Client } from 'pg'
import { request } from 'undici'
import { type DomainCase, domainCases, type Stand } from './domain-cases.ts'
import type { FloorCase } from './floors/domains.ts'
import { fire, type Result, type Shot } from './servers/load.ts'
import { LARGE, type RunningServer, startFloor, startGateway } from './servers/servers.ts'
import { rowsWritten } from './tables/rows-written.ts'
import { seed } from './tables/seed.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SCALE = Number(process.env.BENCH_SCALE ?? 1)
/** Objects of every kind that the organisation has before. */
const OBJECTS = 200
const SHOTS = { POST: Math.round(300 * SCALE), GET: Math.round(600 * SCALE) }
const WARM_UP = 50
/** One client address may have this many sessions of one link open. */
const SESSIONS_PER_LINK = 5
const LINKS = Math.ceil((ROUNDS * SHOTS.POST + WARM_UP) / SESSIONS_PER_LINK) + 2
/** A process counts its requests, but refuses none. */
const LIMITS = { RATE_LIMIT_AUTH: '100000000', LOG_LEVEL: 'fatal' }
const FLOOR = new URL('./floors/domains.ts', import.meta.url).pathname

const isWrite = ({ name }: DomainCase): boolean => name.startsWith('POST')

/**
 * Every domain's main writes and reads against a floor that inserts or reads the same rows, alternating, on one database. Ends with a look-up of every id that was acknowledged.
 * @throws Error when an acknowledged id is not there
 */
export async function benchDomains(print: (line: string) => void): Promise<ProofReport> {
  const at = await startDatabase({ settings: LARGE })
  const running: RunningServer[] = []
  const client = new Client({ connectionString: at.ownerUrl })
  try {
    const stand = await prepare(at)
    await client.connect()
    const writes = await recordWrites(stand, at, client)
    const service = await startGateway({ ...LIMITS, PROCESS_ROLE: 'all' }, at)
    running.push(service)
    const floor = await startFloor(FLOOR, {}, at)
    running.push(floor)
    print(`  ${''.padEnd(58)}service/s  floor/s    ratio      p50  floor's      p99  floor's  (ms)`)
    let checked = 0
    const ratios: Record<string, number> = {}
    for (const each of domainCases) {
      const write = writes.get(each)
      await handOver(floor, write?.own ?? (await recordRead(each, stand, service)))
      const { line, ratio, ids } = await measure(each, stand, service, floor)
      print(line)
      ratios[each.name] = ratio
      if (write) checked += await checkAcknowledged(client, each.name, write.table, ids)
    }
    print(`  ${checked} ids were acknowledged, and all of them are in the database`)
    return { findings: [], figures: { acknowledged: checked, throughputToThatOfTheFloor: ratios } }
  } finally {
    await client.end()
    await Promise.all(running.map((each) => each.stop()))
    await at.close()
  }
}

/** An organisation with objects of every kind, links to pay, and a customer with cNGN. */
async function prepare(at: StandDatabase): Promise<Stand> {
  const { process, runtime, stop } = await runService(at, { settings: { DATA_DIR: at.dataDir }, logLevel: 'fatal' })
  try {
    const { createCaller } = process
    const { actor, cngnCustomerId } = await seed(process, at.ownerUrl, OBJECTS)
    const { organisationId } = actor
    const caller = createCaller(actor)
    const links: string[] = []
    while (links.length < LINKS) {
      const link = await caller.collections.create({
        ...{ type: 'link', title: 'Consulting', amount: '25', currency: 'USDC', destinationChainKey: 'base' },
        destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
      })
      links.push(link.id)
    }
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
  stand: Stand,
  at: StandDatabase,
  client: Client,
): Promise<ReadonlyMap<DomainCase, RecordedWrite>> {
  const gateway = await startGateway(LIMITS, at)
  try {
    const recorded = new Map<DomainCase, RecordedWrite>()
    for (const each of domainCases.filter(isWrite)) {
      let answer = { status: 0, reply: '' }
      const { statements, table } = await rowsWritten(client, async () => {
        answer = await send(gateway, each, stand)
        return idOf(answer.reply)
      })
      recorded.set(each, { own: { statements, ...answer }, table })
    }
    return recorded
  } finally {
    await gateway.stop()
  }
}

/** What the floor is to read: as many rows as the service shows now. */
async function recordRead(each: DomainCase, stand: Stand, service: RunningServer): Promise<FloorCase> {
  const answer = await send(service, each, stand)
  return { statements: each.from ? [selectOf(each.from, stand, countOf(answer.reply))] : [], ...answer }
}

/** @throws Error when the reply is no success */
async function send(
  { origin }: RunningServer,
  each: DomainCase,
  stand: Stand,
): Promise<{ status: number; reply: string }> {
  const { method, path, headers, body } = each.shot(stand, randomUUID(), 0)
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

function handOver({ child }: Awaited<ReturnType<typeof startFloor>>, own: FloorCase): Promise<void> {
  return new Promise((resolve) => {
    child.once('message', () => resolve())
    child.send({ ...own })
  })
}

/** Rounds in turn, and the ids that the service acknowledged. */
async function measure(
  each: DomainCase,
  stand: Stand,
  service: RunningServer,
  floor: RunningServer,
): Promise<{ line: string; ratio: number; ids: string[] }> {
  const ids: string[] = []
  // The recorded request was the first.
  let used = 1
  const onService = (count: number) => {
    const round = randomUUID()
    const first = used
    used += count
    const shot = (n: number) => each.shot(stand, `${n}-${round}`, first + n)
    return fire(service.origin, count, shot, (reply) => {
      const id = idOf(reply)
      if (id) ids.push(id)
    })
  }
  const onFloor = (count: number) => {
    const round = randomUUID()
    return fire(floor.origin, count, (n): Shot => each.shot(stand, `${n}-${round}`, n))
  }
  await onService(WARM_UP)
  await onFloor(WARM_UP)
  const count = SHOTS[isWrite(each) ? 'POST' : 'GET']
  const rounds: { own: Result; bare: Result }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const first = round % 2 ? undefined : await onService(count)
    const bare = await onFloor(count)
    rounds.push({ own: first ?? (await onService(count)), bare })
  }
  const of = (pick: (round: { own: Result; bare: Result }) => number) => median(rounds.map(pick))
  const ratio = Math.round(100 * of(({ own, bare }) => own.rate / bare.rate)) / 100
  const columns = [
    of(({ own }) => own.rate).toFixed(0),
    of(({ bare }) => bare.rate).toFixed(0),
    ratio.toFixed(2),
    of(({ own }) => own.p50).toFixed(2),
    of(({ bare }) => bare.p50).toFixed(2),
    of(({ own }) => own.p99).toFixed(2),
    of(({ bare }) => bare.p99).toFixed(2),
  ]
  const cells = columns.map((cell) => cell.padStart(9)).join('')
  return { line: `  ${each.domain.padEnd(16)}${each.name.padEnd(42)}${cells}`, ratio, ids }
}

/** @throws Error when an id that the service has acknowledged is not in its table */
async function checkAcknowledged(
  client: Client,
  name: string,
  table: string | undefined,
  ids: string[],
): Promise<number> {
  if (!table || ids.length === 0) throw new Error(`${name}: the rows of its replies are in no table`)
  const { rows } = await client.query<{ found: number }>(
    `select count(*)::int as found from ${table} where id = any($1::uuid[])`,
    [ids],
  )
  if (rows[0]?.found !== ids.length) throw new Error(`${name}: ${ids.length} ids acknowledged, ${rows[0]?.found} found`)
  return ids.length
}
