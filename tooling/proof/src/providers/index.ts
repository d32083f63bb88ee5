import { setTimeout as sleep } from 'node:timers/promises'
import { checkLedger } from '@payments/ledger'
import { domainsOf } from '@payments/platform'
import { type Random, random, rows, type StandDatabase } from '@payments/stand'
import type { Proof } from '../proof.ts'
import { cngnPart } from './cngn.ts'
import { exactPart } from './exact.ts'
import { fiatPart } from './fiat.ts'
import type { Difference, Part } from './part.ts'
import { relayParts } from './routes.ts'
import { type ProviderStand, startProviderStand } from './stand.ts'
import { swapsPart } from './swaps.ts'

const OBJECTS = { short: 120, full: 5000 } as const
/** The worker is killed at least so often, and once more for each of these objects. */
const LEAST_KILLS = 4
const OBJECTS_PER_KILL = 100
/** How long no difference may disappear after everything was paid: what asks for all of an address again, asks seldom. */
const PATIENCE_MS = 300_000
/** Objects that are created at the same time. */
const LANES = 8
/** How long the worker lives, at most, after it is ready. */
const LIFE_MS = 2500
/** Steps of the providers, and how often what the service would ask later is asked now. */
const STEP_MS = 400
const HURRY_MS = 1000
/** So many things that were paid are paid once more at most, until one is noticed. */
const PAID_AGAIN = 10

/**
 * Every domain with a provider, in production, against fakes that are as bad as the providers' documents allow: they omit, repeat,
 * reorder, delay and contradict, change amounts, and answer late, empty or not at all, while the worker is killed. Afterwards the fakes'
 * own books are compared with the journal and the objects: no money was paid twice, none is unaccounted for, operators are told of every
 * difference, and the check of the ledger finds nothing.
 */
export const run: Proof = async ({ size, seed, times, log }) => {
  const objects = times ?? OBJECTS[size]
  const choices = random(seed)
  const stand = await startProviderStand(choices)
  const stopping = new AbortController()
  const findings: string[] = []
  try {
    const parts = [
      ...relayParts(stand, choices),
      exactPart(stand, choices),
      fiatPart(stand, choices),
      await cngnPart(stand, choices),
      swapsPart(stand, choices),
    ]
    log('started')
    const isWorking = () => !stopping.signal.aborted
    const background = [
      repeat(STEP_MS, isWorking, async () => {
        for (const part of parts) part.advance()
      }),
      repeat(HURRY_MS, isWorking, () => hurry(stand.database, parts)),
    ]
    const leastKills = LEAST_KILLS + Math.floor(objects / OBJECTS_PER_KILL)
    let isMaking = true
    const killing = killWorker(stand, choices, (kills) => isWorking() && (isMaking || kills < leastKills))
    killing.catch(() => undefined)
    const plan = planOf(parts, objects, choices)
    let made = 0
    const lane = async () => {
      for (let part = plan.shift(); part; part = plan.shift()) {
        const number = made++
        await part.add(number).catch((error: Error) => void findings.push(`${part?.name}: ${error.message}`))
        if (number % 250 === 0) log(`${number} objects`)
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    log(`${made} objects, all paid`)
    isMaking = false
    const kills = await killing
    const compared = await settled(stand, parts, log)
    stopping.abort()
    await Promise.all(background)
    log('compared')
    findings.push(...(await unnoticed(parts)))
    const ledger = await checkLedger(stand.runtime)
    for (const { check, id, message } of ledger.findings) findings.push(`ledger, ${check} ${id}: ${message}`)
    findings.push(...compared.findings, ...stand.processes.errors())
    if (findings.length > 0) log(stand.processes.output().slice(-4000))
    return {
      findings: [...new Set(findings)],
      figures: {
        kills,
        objects: Object.fromEntries(parts.map((part) => [part.name, part.figures().objects])),
        faultyAnswers: parts.reduce((sum, part) => sum + part.figures().faults, 0),
        differencesOnTheListOfOperators: compared.listed,
        onTheListOfOperators: compared.attention,
        ledger: ledger.walked,
      },
    }
  } finally {
    stopping.abort()
    await stand.close()
  }
}

/** Which part each object is of, mixed. */
function planOf(parts: readonly Part[], objects: number, choices: Random): Part[] {
  const all = parts.flatMap((part) => Array.from({ length: part.share }, () => part))
  return Array.from({ length: objects }, () => choices.pick(all))
}

async function repeat(ms: number, isWorking: () => boolean, work: () => Promise<unknown>): Promise<void> {
  for (; isWorking(); await sleep(ms)) await work()
}

async function hurry(database: StandDatabase, parts: readonly Part[]): Promise<void> {
  for (const statement of parts.flatMap((part) => part.hurry)) await rows(database, statement)
}

/** SIGKILL of the worker, which is started again at once, or a start with other settings. Returns how often. */
async function killWorker(
  { worker, restartWorker }: ProviderStand,
  choices: Random,
  isKilling: (kills: number) => boolean,
): Promise<number> {
  let kills = 0
  for (; isKilling(kills); kills++) {
    // Most kills hit a worker at work, some one that is starting.
    if (choices.chance(0.85)) await worker.ready()
    await sleep(choices.below(LIFE_MS))
    // Now and then it runs for a while as if the second provider of payment routes had been removed.
    if (choices.chance(0.2)) await restartWorker(choices.chance(0.5))
    else await worker.kill()
  }
  await restartWorker(true)
  await worker.ready()
  return kills
}

/** Compares until every difference is on the list of operators; those that are left when none disappears any more are findings. */
async function settled(stand: ProviderStand, parts: readonly Part[], log: (line: string) => void) {
  let told = 0
  let open = new Set<string>()
  let progressed = Date.now()
  for (; ; await sleep(1500)) {
    const differences = (await Promise.all(parts.map((part) => part.differences()))).flat()
    const attention = await listed(stand)
    const isListed = ({ ids, least = 1, isGrave }: Difference) =>
      !isGrave && ids.filter((id) => attention.ids.has(id)).length >= least
    const findings = differences.filter((each) => !isListed(each)).map(({ what }) => what)
    const found = new Set(findings)
    if (told === 0 || [...open].some((finding) => !found.has(finding))) progressed = Date.now()
    open = found
    if (findings.length === 0 || Date.now() - progressed > PATIENCE_MS)
      return { findings, listed: differences.length - findings.length, attention: attention.counts }
    if (Date.now() - told > 15_000) {
      told = Date.now()
      log(`${findings.length} objects are open or differ, such as: ${findings.slice(0, 3).join(' | ')}`)
    }
  }
}

/** The comparison must be able to fail: a provider that now pays once more makes a difference that was not there. */
async function unnoticed(parts: readonly Part[]): Promise<string[]> {
  const found: string[] = []
  for (const part of parts) {
    const before = new Set((await part.differences()).map(({ what }) => what))
    // What differs already, and is on the list of operators, may read the same when it is paid once more.
    let noticed = false
    for (let number = 0; number < PAID_AGAIN && !noticed; number++) {
      await part.payAgain(number)
      noticed = (await part.differences()).some(({ what }) => !before.has(what))
    }
    if (!noticed) found.push(`${part.name}: the comparison does not notice what the provider paid once more`)
  }
  return found
}

/** What operators are told of, in every domain: the statements of their list, without its limit. */
async function listed({ runtime, database }: ProviderStand) {
  const ids = new Set<string>()
  const counts: Record<string, number> = {}
  for (const { kind, sql } of domainsOf(runtime).flatMap(({ operators }) => operators?.attention ?? [])) {
    const found = await rows<{ id: string }>(database, sql)
    for (const { id } of found) ids.add(id)
    if (found.length > 0) counts[kind] = found.length
  }
  return { ids, counts }
}
