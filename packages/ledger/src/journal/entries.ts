import { hash } from 'node:crypto'
import type { Tenant } from '@payments/kernel'
import { type AccountKey, accountId } from '../model/accounts.ts'

/** The business object that an entry belongs to. `type` is the kind of the transaction if the object is listed. */
export interface Source {
  readonly type: string
  readonly id: string
}

/** The change of one account's balance: integer minor units of its asset, never zero. */
export interface Posting {
  readonly account: AccountKey
  readonly amount: bigint
}

/**
 * An entry to post. Source and step are its key: each step of an object is posted once. The postings sum to zero per
 * asset. `reverses` is the step of the same source that this entry reverses.
 */
export interface Draft {
  readonly source: Source
  readonly step: string
  readonly postings: readonly Posting[]
  readonly memo?: string
  readonly reverses?: string
}

/** A posting with the id of its account, as the database stores it. */
export interface Line {
  readonly accountId: string
  readonly asset: string
  readonly amount: bigint
}

/** The postings summed by account, in the order of the account ids. */
export function linesOf(tenant: Tenant, postings: readonly Posting[]): Line[] {
  const lines = new Map<string, Line>()
  for (const { account, amount } of postings) {
    const id = accountId(tenant, account)
    lines.set(id, { accountId: id, asset: account.asset, amount: amount + (lines.get(id)?.amount ?? 0n) })
  }
  return [...lines.values()].filter((line) => line.amount !== 0n).sort((a, b) => (a.accountId < b.accountId ? -1 : 1))
}

/** SHA-256 of an entry's content without id and time. Entries with the same key and digest are the same entry; seals cover it. */
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

/** The entry that reverses another entry. */
export const reversalOf = ({ source, step, postings }: Draft, memo?: string): Draft => ({
  source,
  step: `${step}.reversal`,
  reverses: step,
  postings: postings.map(({ account, amount }) => ({ account, amount: -amount })),
  ...(memo ? { memo } : {}),
})
