import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MoneyLimits } from '@payments/agents'
import { money } from '@payments/sdk'
import { UsageError } from '../output.ts'

/** What an agent may move in live with one operation: at most so much in a call, and so much on a UTC day. */
interface Allowance {
  readonly perCall: string
  readonly perDay: string
}

/** Allowances as they are typed: `swaps.create=100/500`. @throws UsageError */
export function allowancesOf(texts: readonly string[]): ReadonlyMap<string, Allowance> {
  return new Map(
    texts.map((text) => {
      const [, operation = '', perCall = '', perDay = ''] =
        text.match(/^([\w.]+)=(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/) ?? []
      if (!operation)
        throw new UsageError(
          `--allow ${text}: write the operation, what a call and what a day may move, as in swaps.create=100/500`,
        )
      return [operation, { perCall, perDay }]
    }),
  )
}

/** The limits of one person, whose use is counted in this folder. */
export const limitsOf = (folder: string, allowances: ReadonlyMap<string, Allowance>): MoneyLimits => ({
  has: (operation) => allowances.has(operation),
  take(operation, amount, key) {
    const allowance = allowances.get(operation)
    return allowance ? take(folder, operation, allowance, amount, key) : `${operation} is not allowed in live`
  },
})

interface Day {
  readonly day: string
  /** By operation and idempotency key: a repeated call counts once. */
  readonly amounts: Readonly<Record<string, string>>
}

/**
 * Counts an amount before it is sent, in a file of the configuration, so that a call whose outcome is unknown counts as well.
 * Returns why it is not allowed, or undefined.
 */
function take(
  folder: string,
  operation: string,
  { perCall, perDay }: Allowance,
  amount: string,
  key: string,
): string | undefined {
  if (money.compare(amount, perCall) > 0) return `${operation} may move ${perCall} in a call`
  const file = join(folder, 'agent-limits.json')
  const today = new Date().toISOString().slice(0, 10)
  const kept = read(file)
  const amounts = kept.day === today ? kept.amounts : {}
  const own = { ...amounts, [`${operation} ${key}`]: amount }
  const sum = money.add(
    ...Object.entries(own).flatMap(([name, each]) => (name.startsWith(`${operation} `) ? [each] : [])),
  )
  if (money.compare(sum, perDay) > 0) return `${operation} may move ${perDay} in a day`
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.${process.pid}`, JSON.stringify({ day: today, amounts: own } satisfies Day), { mode: 0o600 })
  renameSync(`${file}.${process.pid}`, file)
  return undefined
}

function read(file: string): Day {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Day
  } catch (error) {
    // A file that cannot be read must not become a day without limits.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return { day: '', amounts: {} }
  }
}
