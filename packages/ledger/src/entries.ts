import { hash } from 'node:crypto'
import type { Tenant } from '@payments/kernel'
import { type AccountKey, accountId } from './accounts.ts'

/** The business object that an entry is about. `type` is the kind of the unified list where the object is in it. */
export interface Source {
  readonly type: string
  readonly id: string
}

/** One account and what it gains (or, below zero, loses): integer minor units of its asset, never zero. */
export interface Posting {
  readonly account: AccountKey
  readonly amount: bigint
}

/**
 * An entry to be booked. Source and step are its key: an object's step is booked once. Postings sum to zero per asset.
 * `reverses` names the step of the same source that this entry takes back.
 */
export interface Draft {
  readonly source: Source
  readonly step: string
  readonly postings: readonly Posting[]
  readonly memo?: string
  readonly reverses?: string
}

/** A posting as the database has it. */
export interface Line {
  readonly accountId: string
  readonly asset: string
  readonly amount: bigint
}

/** Postings by account id, one for each account, in the order of the ids. */
export function linesOf(tenant: Tenant, postings: readonly Posting[]): Line[] {
  const lines = new Map<string, Line>()
  for (const { account, amount } of postings) {
    const id = accountId(tenant, account)
    lines.set(id, { accountId: id, asset: account.asset, amount: amount + (lines.get(id)?.amount ?? 0n) })
  }
  return [...lines.values()].filter((line) => line.amount !== 0n).sort((a, b) => (a.accountId < b.accountId ? -1 : 1))
}

/** What makes two entries of one key the same, and what a seal covers: SHA-256 over everything but id and time. */
export const digestOf = (
  { organisationId, environment }: Tenant,
  entry: Pick<Draft, 'source' | 'step' | 'memo' | 'reverses'>,
  lines: readonly Line[],
): string =>
  hash(
    'sha256',
    JSON.stringify([
      organisationId,
      environment,
      entry.source.type,
      entry.source.id,
      entry.step,
      entry.reverses ?? null,
      entry.memo ?? null,
      lines.map((line) => [line.accountId, line.asset, line.amount.toString()]),
    ]),
  )

/** The entry that takes another one back. */
export const reversalOf = ({ source, step, postings }: Draft, memo?: string): Draft => ({
  source,
  step: `${step}.reversal`,
  reverses: step,
  postings: postings.map(({ account, amount }) => ({ account, amount: -amount })),
  ...(memo ? { memo } : {}),
})
