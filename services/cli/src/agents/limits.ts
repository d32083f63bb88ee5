import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { MoneyLimits } from '@payments/agents'
import { money } from '@payments/sdk'
import { UsageError } from '../output.ts'

/** What an agent may move in live with one operation: at most so much of a currency in a call, and so much on a UTC day. */
interface Allowance {
  readonly currency: string
  readonly perCall: string
  readonly perDay: string
}

/** Allowances as they are typed: `swaps.create=USDC:100/500`. @throws UsageError */
export function allowancesOf(texts: readonly string[]): ReadonlyMap<string, Allowance> {
  return new Map(
    texts.map((text) => {
      const [, operation = '', currency = '', perCall = '', perDay = ''] =
        text.match(/^([\w.]+)=(\w+):(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/) ?? []
      if (!operation)
        throw new UsageError(
          `--allow ${text}: write the operation, the currency, what a call and what a day may move, as in swaps.create=USDC:100/500`,
        )
      return [operation, { currency, perCall, perDay }]
    }),
  )
}

/** The limits of one person, whose use is counted in this folder. */
export const limitsOf = (folder: string, allowances: ReadonlyMap<string, Allowance>): MoneyLimits => ({
  has: (operation) => allowances.has(operation),
  take(operation, amount, currency, key) {
    const allowance = allowances.get(operation)
    if (!allowance) return `${operation} is not allowed in live`
    if (currency !== allowance.currency) return `${operation} may move ${allowance.currency} alone, not ${currency}`
    return take(folder, operation, allowance, amount, key)
  },
})

/** A call that was asked for; or its id, when it was refused. */
type Line =
  | { readonly id: string; readonly operation: string; readonly key: string; readonly amount: string }
  | { readonly refused: string }

/**
 * Counts an amount before it is sent, in a file of the day in the folder of the configuration, so that a call whose outcome is unknown counts
 * as well. Processes append to the same file, and each counts what is in front of its own line: together they stay within the limit. A call
 * that is repeated with its idempotency key counts once, with the largest amount that it named.
 * @returns why it is not allowed, or undefined
 * @throws Error for a file that cannot be read: it must not become a day without limits
 */
function take(
  folder: string,
  operation: string,
  { currency, perCall, perDay }: Allowance,
  amount: string,
  key: string,
): string | undefined {
  if (money.compare(amount, perCall) > 0) return `${operation} may move ${perCall} ${currency} in a call`
  const name = `agent-limits-${new Date().toISOString().slice(0, 10)}.jsonl`
  const file = join(folder, name)
  const append = (line: Line) => appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const id = randomUUID()
  append({ id, operation, key, amount })
  const lines = read(file)
  const own = lines.findIndex((line) => 'id' in line && line.id === id)
  const refused = new Set(lines.flatMap((line) => ('refused' in line ? [line.refused] : [])))
  const amounts = new Map<string, string>()
  for (const line of lines.slice(0, own + 1)) {
    if ('refused' in line || line.operation !== operation || refused.has(line.id)) continue
    const counted = amounts.get(line.key) ?? '0'
    amounts.set(line.key, money.compare(line.amount, counted) > 0 ? line.amount : counted)
  }
  for (const old of readdirSync(folder))
    if (old.startsWith('agent-limits') && old < name) rmSync(join(folder, old), { force: true })
  if (money.compare(money.add(...amounts.values()), perDay) <= 0) return undefined
  append({ refused: id })
  return `${operation} may move ${perDay} ${currency} in a day`
}

function read(file: string): Line[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
    return lines.map((line) => JSON.parse(line) as Line)
  } catch (error) {
    throw new Error(`${file} cannot be read, so that nothing is moved until it is removed`, { cause: error })
  }
}
