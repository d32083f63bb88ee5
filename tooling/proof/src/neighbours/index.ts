import { percentile, startEventReceiver, startMailbox, startStand } from '@payments/stand'
import type { Proof } from '../proof.ts'
import type { Attacker } from './attacks.ts'
import { type Installation, startInstallation } from './installation.ts'
import { type Measured, measure } from './neighbours.ts'
import { newAttackerOfDomains, newNeighbour, startSilentReceiver } from './organisations.ts'
import { measureResourceAttacks, type ResourceReport, type ResourceSize, resourceFigures } from './resources.ts'
import { startAttackers } from './working-attackers.ts'

const NEIGHBOURS = 10
/** How many times slower an operation may be beside the organisation that misbehaves. */
const FACTOR = 3
/** How many times its own median a request may take beside documents and images, and how long any of them. */
const [COSTS_FACTOR, WORST_MS] = [5, 5000]
/** Objects: what the lists of the organisation that misbehaves have. Rounds: each measures the three parts of a {@link Round}. */
const SIZES = {
  short: { rounds: 1, seconds: 4, objects: 2000, resources: { rounds: 1, requests: 100, events: 20_000 } },
  full: { rounds: 7, seconds: 15, objects: 50_000, resources: { rounds: 3, requests: 1000, events: 300_000 } },
} as const

/**
 * One organisation misbehaves in every domain beside ten that behave: nothing of theirs fails, and the p99 of each operation stays
 * within three times its quiet value (the median of the rounds). Clients, gateway, worker and database share the cores of one machine,
 * and the misbehaving organisation takes what is left of them; so quiet is the service and not the machine: the same organisation then
 * misbehaves towards another installation, with processes and a database of its own. The value while nobody does is printed as well.
 * The short form prints these figures and judges the failures alone: on a machine that does other work the figures are chance. Resource attacks follow, measured against the same attackers at a server that does nothing.
 */
export const run: Proof = async ({ size, times, log }) => {
  const { seconds, objects, resources, ...usual } = SIZES[size]
  const receiver = await startEventReceiver(() => 'accept')
  const silent = await startSilentReceiver()
  const mailbox = await startMailbox()
  const origins = [receiver.origin, silent.origin]
  const installations: Installation[] = []
  const attackers = startAttackers()
  try {
    for (let number = 0; number < 2; number++) installations.push(await startInstallation(origins, mailbox.url))
    const [own, other] = installations as [Installation, Installation]
    const neighbours = await Promise.all(
      Array.from({ length: NEIGHBOURS }, (_, number) => newNeighbour(own.database, own.url, receiver, number)),
    )
    const [here, elsewhere] = await Promise.all(
      [own, other].map((each) => newAttackerOfDomains(each, silent.origin, objects)),
    )
    const whileAttacking = (attacker: Attacker | undefined) =>
      attackers.during({ target: 'domains', attacker: attacker as Attacker }, () =>
        measure(neighbours, receiver, seconds),
      )
    await measure(neighbours, receiver, 2)
    const rounds: Round[] = []
    let sent = 0
    for (let round = 0; round < (times ?? usual.rounds); round++) {
      const alone = await measure(neighbours, receiver, seconds)
      const quiet = await whileAttacking(elsewhere)
      const beside = await whileAttacking(here)
      sent += beside.sent
      rounds.push({ alone, quiet: quiet.measured, beside: beside.measured })
    }
    const latencies = await resourceAttacksOf(resources)
    const resourceAttacks = resourceFigures(latencies)
    log(`resource attacks: ${JSON.stringify(resourceAttacks)}`)
    const costs = await costlyAttacksOf(resources)
    const costlyAttacks = resourceFigures(costs)
    log(`documents and images: ${JSON.stringify(costlyAttacks)}`)
    const operations = compare(rounds)
    for (const [name, { alone, quiet, beside, ratio }] of Object.entries(operations))
      log(`${name.padEnd(27)} p99 ${alone} ms alone, ${quiet} ms quiet, ${beside} ms beside: ${ratio} times`)
    const findings = rounds.flatMap(({ alone, quiet, beside }) =>
      [alone, quiet, beside].flatMap(({ failures }) => failures),
    )
    for (const [name, report] of Object.entries({ 'resource attacks': latencies, 'documents and images': costs }))
      for (const [part, { failures }] of Object.entries(report))
        findings.push(...failures.map((failure: string) => `${name}, ${part}: ${failure}`))
    // Before they were made in threads, one held up everybody for seconds.
    if (costlyAttacks.attacked.worst > WORST_MS)
      findings.push(`documents and images: a request beside them took ${costlyAttacks.attacked.worst} ms`)
    if (size === 'full' && costlyAttacks.ofMedian > COSTS_FACTOR)
      findings.push(`documents and images: the median beside them is ${costlyAttacks.ofMedian} times its own`)
    if (size === 'full' && resourceAttacks.factor > FACTOR)
      findings.push(`resource attacks: the p99 is ${resourceAttacks.factor} times that beside a null server`)
    if (size === 'full')
      for (const [name, { ratio }] of Object.entries(operations))
        if (ratio > FACTOR)
          findings.push(`${name}: its p99 is ${ratio} times its quiet value, at most ${FACTOR} allowed`)
    if (findings.length > 0) log(own.output().slice(-6000))
    return {
      findings: [...new Set(findings)],
      figures: {
        rounds: rounds.length,
        attackerRequests: sent,
        operations,
        resourceAttacks,
        costlyAttacks,
      },
    }
  } finally {
    attackers.close()
    await Promise.all(installations.map((each) => each.stop()))
    await Promise.all([receiver.close(), silent.close(), mailbox.close()])
  }
}

/** On a process that nothing else uses. */
async function resourceAttacksOf(size: ResourceSize): Promise<ResourceReport> {
  const stand = await startStand()
  try {
    return await measureResourceAttacks({ url: stand.url, database: stand.runtime }, size)
  } finally {
    await stand.stop()
  }
}

/** On another one: strangers have addresses of their own. */
async function costlyAttacksOf(size: ResourceSize): Promise<ResourceReport> {
  const stand = await startStand({ TRUST_PROXY: '127.0.0.1' })
  try {
    return await measureResourceAttacks({ url: stand.url, database: stand.runtime }, { ...size, events: 0 }, 'costs')
  } finally {
    await stand.stop()
  }
}

interface Round {
  /** Nobody misbehaves. */
  readonly alone: Measured
  /** Someone misbehaves towards another installation on this machine. */
  readonly quiet: Measured
  readonly beside: Measured
}

interface Comparison {
  /** Milliseconds: the medians of the rounds' p99. */
  readonly alone: number
  readonly quiet: number
  readonly beside: number
  /** Of beside to quiet: the median of the rounds. */
  readonly ratio: number
  readonly requests: number
}

/** For each operation: the p99 of each round, and the median of their ratios. */
function compare(rounds: readonly Round[]): Record<string, Comparison> {
  const names = [...new Set(rounds.flatMap(({ quiet }) => [...quiet.times.keys()]))].sort()
  const rounded = (value: number) => Math.round(value * 10) / 10
  const median = (values: readonly number[]) => rounded(percentile(values, 0.5))
  return Object.fromEntries(
    names.map((name) => {
      const p99 = (part: keyof Round) => rounds.map((each) => percentile(each[part].times.get(name) ?? [], 0.99))
      const [quiet, beside] = [p99('quiet'), p99('beside')]
      const ratio = median(quiet.map((value, index) => (beside[index] ?? Number.NaN) / value))
      const requests = rounds.reduce((sum, each) => sum + (each.beside.times.get(name)?.length ?? 0), 0)
      return [name, { alone: median(p99('alone')), quiet: median(quiet), beside: median(beside), ratio, requests }]
    }),
  )
}
