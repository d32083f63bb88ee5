import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Proof } from '../proof.ts'
import { startDatabase } from '../stand/database.ts'
import { freePorts } from '../stand/ports.ts'
import { startEventReceiver } from '../stand/receiver.ts'
import { sharedSettings, startServiceProcess } from '../stand/service-process.ts'
import { type Measured, measure, percentile } from './neighbours.ts'
import { newAttacker, newNeighbour, startSilentReceiver } from './organisations.ts'

const NEIGHBOURS = 10
/** How many times slower an operation may be beside the organisation that misbehaves. */
const FACTOR = 3
/** Objects: what the lists of the organisation that misbehaves have. Rounds: each is quiet, and then not. */
const SIZES = {
  short: { rounds: 2, seconds: 4, objects: 2000 },
  full: { rounds: 7, seconds: 15, objects: 50_000 },
} as const

/**
 * One organisation misbehaves in every domain beside ten that behave: nothing of theirs fails, and the p99 of each operation stays
 * within three times its quiet value (the median of the rounds). The short form prints these ratios and does not judge them: on a
 * machine that does other work they are chance.
 */
export const run: Proof = async ({ size, times, log }) => {
  const { seconds, objects, ...usual } = SIZES[size]
  const database = await startDatabase()
  const receiver = await startEventReceiver(() => 'accept')
  const silent = await startSilentReceiver()
  const [port = 0, ...internal] = await freePorts(3)
  const settings = sharedSettings(database, {
    TRUST_PROXY: '127.0.0.1',
    WEBHOOK_DEV_TARGETS: `${receiver.origin},${silent.origin}`,
  })
  const output: string[] = []
  const processes = (['gateway', 'worker'] as const).map((role, index) =>
    startServiceProcess({ role, port, internalPort: internal[index] ?? 0, settings }, (text) => void output.push(text)),
  )
  const url = `http://127.0.0.1:${port}`
  let attackers: ChildProcess | undefined
  try {
    await Promise.all(processes.map((each) => each.ready()))
    const neighbours = await Promise.all(
      Array.from({ length: NEIGHBOURS }, (_, number) => newNeighbour(database, url, receiver, number)),
    )
    const attacker = await newAttacker(database, url, silent.origin, objects)
    attackers = fork(new URL('attackers.ts', import.meta.url), [JSON.stringify(attacker)])
    await measure(neighbours, receiver, 2)
    const rounds: { quiet: Measured; beside: Measured }[] = []
    let attacked = 0
    for (let round = 0; round < (times ?? usual.rounds); round++) {
      const quiet = await measure(neighbours, receiver, seconds)
      attackers.send('start')
      await sleep(500)
      const beside = await measure(neighbours, receiver, seconds)
      attackers.send('stop')
      const [{ sent }] = (await once(attackers, 'message')) as [{ sent: number }]
      attacked += sent
      rounds.push({ quiet, beside })
      await sleep(1000)
    }
    const operations = compare(rounds)
    for (const [name, { quiet, beside, ratio }] of Object.entries(operations))
      log(`${name.padEnd(32)} p99 ${quiet} ms quiet, ${beside} ms beside: ${ratio} times`)
    const findings = rounds.flatMap(({ quiet, beside }) => [...quiet.failures, ...beside.failures])
    if (size === 'full')
      for (const [name, { ratio }] of Object.entries(operations))
        if (ratio > FACTOR)
          findings.push(`${name}: its p99 is ${ratio} times its quiet value, at most ${FACTOR} allowed`)
    if (findings.length > 0)
      log(
        output
          .filter((text) => !text.includes('Base URL'))
          .join('')
          .slice(-6000),
      )
    return {
      findings: [...new Set(findings)],
      figures: { rounds: rounds.length, attackerRequests: attacked, operations },
    }
  } finally {
    attackers?.disconnect()
    await Promise.all(processes.map((each) => each.stop()))
    await Promise.all([receiver.close(), silent.close()])
    await database.close()
  }
}

interface Comparison {
  /** Milliseconds: the medians of the rounds' p99. */
  readonly quiet: number
  readonly beside: number
  readonly ratio: number
  readonly requests: number
}

/** For each operation: the p99 of each round, and the median of their ratios. */
function compare(rounds: readonly { quiet: Measured; beside: Measured }[]): Record<string, Comparison> {
  const names = [...new Set(rounds.flatMap(({ quiet }) => [...quiet.times.keys()]))].sort()
  const rounded = (value: number) => Math.round(value * 10) / 10
  return Object.fromEntries(
    names.map((name) => {
      const p99 = (side: 'quiet' | 'beside') => rounds.map((each) => percentile(each[side].times.get(name) ?? [], 0.99))
      const [quiet, beside] = [p99('quiet'), p99('beside')]
      const ratios = quiet.map((value, index) => (beside[index] ?? Number.NaN) / value)
      const requests = rounds.reduce((sum, each) => sum + (each.beside.times.get(name)?.length ?? 0), 0)
      const median = (values: readonly number[]) => rounded(percentile(values, 0.5))
      return [name, { quiet: median(quiet), beside: median(beside), ratio: median(ratios), requests }]
    }),
  )
}
