import {
  type EventReceiver,
  random,
  type ServiceProcess,
  sharedSettings,
  startDatabase,
  startEventReceiver,
  startProcesses,
} from '@payments/stand'
import type { Proof } from '../../proof.ts'
import { checkAcknowledged } from './acknowledged.ts'
import { checkArrivals } from './arrivals.ts'
import { checkEffects } from './effects.ts'
import { journeys } from './journeys.ts'
import { cutConnections, killAtRandom } from './killer.ts'
import { endClaims, hurry } from './pass-time.ts'
import { signUp } from './sign-up.ts'
import type { CrashStand, Member } from './stand.ts'

const SIZES = {
  short: { kills: 20, lanes: 20, members: 2, patienceMs: 120_000 },
  full: { kills: 1000, lanes: 16, members: 4, patienceMs: 300_000 },
} as const
/** The shares of deliveries that the receiver takes without an answer, and that it refuses, while processes are killed. */
const BEHAVIOURS = { cut: 0.05, fail: 0.05 }

/**
 * Every domain at work while gateway, worker and PostgreSQL are killed at random and connections are cut. Afterwards: each
 * acknowledged write is there, once; each effect at the providers happened exactly once; each event arrived, in full, under one id;
 * every object is final; providers and journal agree.
 */
export const run: Proof = async ({ size, seed, times, log }) => {
  const { kills: usual, lanes, members: count, patienceMs } = SIZES[size]
  const kills = times ?? usual
  const database = await startDatabase()
  let killing = true
  let killedAt = Number.POSITIVE_INFINITY
  const receiver = await startEventReceiver(() => {
    const drawn = killing ? Math.random() : 1
    return drawn < BEHAVIOURS.cut ? 'cut' : drawn < BEHAVIOURS.cut + BEHAVIOURS.fail ? 'fail' : 'accept'
  })
  const settings = sharedSettings(database, { WEBHOOK_DEV_TARGETS: receiver.origin })
  const processes = await startProcesses({ gateways: 1, workers: 1 }, { settings })
  const [gateway, worker] = [...processes.gateways, ...processes.workers] as [ServiceProcess, ServiceProcess]
  const stand: CrashStand = {
    url: () => gateway.url,
    database,
    random: random(seed),
    findings: [],
    retries: new Map(),
    repeated: 0,
    deadline: () => killedAt + patienceMs,
  }
  const cutting = new AbortController()
  try {
    await processes.ready()
    const members = await Promise.all(Array.from({ length: count }, (_, number) => enter(stand, receiver, number)))
    const done = new Map<string, number>()
    const lane = (_: unknown, number: number) => workLane(stand, members, number, () => killing, done)
    // One more organisation signs up while processes are killed.
    const late = enter(stand, receiver, count).then(
      (own) => void members.push(own),
      (error: Error) => void stand.findings.push(error.message),
    )
    const work = Promise.all([...Array.from({ length: lanes }, lane), late])
    const cuts = cutConnections(database, cutting.signal)
    // Awaited below; until then its failure must not end this process and leave the others running.
    cuts.catch(() => undefined)
    const onKill = (target: string, number: number) =>
      number % 20 === 0 ? log(`${number} kills, the last of the ${target}`) : undefined
    const killed = await killAtRandom({ times: kills, database, gateway, worker, onKill }, stand.random)
    killing = false
    killedAt = Date.now()
    cutting.abort()
    const connectionsCut = await cuts
    if (size === 'short') {
      await endClaims(database, [gateway, worker])
      await hurry(work, members, stand.deadline)
    }
    await work
    // Deliveries and reads have their own time.
    killedAt = Date.now()
    log('every object has ended')
    const arrived = await checkArrivals(stand, database, receiver, members)
    const acknowledged = await checkAcknowledged(stand, database, members)
    const effects = await checkEffects(database)
    stand.findings.push(...effects.findings, ...processes.errors())
    if (stand.findings.length > 0) {
      // What a 500 was caused by stands far before the end.
      for (const line of processes.output().split('\n')) if (/"msg":"(request|procedure) failed"/.test(line)) log(line)
      log(processes.output().slice(-8000))
    }
    return {
      findings: [...new Set(stand.findings)],
      figures: {
        kills: killed,
        connectionsCut,
        databaseRestarts: database.restarts(),
        journeys: Object.fromEntries([...done].sort()),
        attemptsWithoutReply: stand.retries.get(0) ?? 0,
        attemptsToldToRetry: [...stand.retries].reduce((sum, [status, times]) => sum + (status === 0 ? 0 : times), 0),
        repeatedAfterAcknowledgement: stand.repeated,
        ...acknowledged,
        ...arrived,
        ledger: effects.walked,
      },
    }
  } catch (error) {
    log(processes.output().slice(-20_000))
    throw error
  } finally {
    killing = false
    killedAt = 0
    cutting.abort()
    await processes.stop()
    await receiver.close()
    await database.close()
  }
}

/** A new organisation with an endpoint at the receiver. */
async function enter(stand: CrashStand, receiver: EventReceiver, number: number): Promise<Member> {
  const own = await signUp(stand, `crash-${number}@example.com`)
  const path = `/hooks/${number}`
  const { secret } = await own.command('POST /v1/webhooks', { url: `${receiver.origin}${path}` })
  receiver.expect(path, secret)
  return own
}

/** One journey after another, of every kind in turn, as long as processes are killed. */
async function workLane(
  stand: CrashStand,
  members: readonly Member[],
  lane: number,
  isKilling: () => boolean,
  done: Map<string, number>,
): Promise<void> {
  const kinds = Object.entries(journeys)
  for (let number = lane; isKilling(); number++) {
    const [name, journey] = kinds[number % kinds.length] as (typeof kinds)[number]
    const own = members[number % members.length] as Member
    await journey(stand, own).catch((error: Error) => void stand.findings.push(`${name}: ${error.message}`))
    done.set(name, (done.get(name) ?? 0) + 1)
  }
}
