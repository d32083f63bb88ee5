import { hash } from 'node:crypto'
import { addressBlock } from '../../operations/rate-limits.ts'
import type { BudgetedCall } from './budgets.ts'

/** Who asks a provider for something new without a credential of the merchant: a payer, at what the merchant has published. */
export interface Stranger {
  /** Id of the link, invoice or checkout. */
  readonly startedAt: string
  /** Anyone may know the address of a link; that of an invoice or a checkout was given to one payer. */
  readonly isLink: boolean
  /** Identifies the client's address block, without keeping it. */
  readonly client: string
}

/** @param ip the address of the client */
export const strangerAt = (startedAt: string, isLink: boolean, ip = ''): Stranger => ({
  startedAt,
  isLink,
  client: hash('sha256', addressBlock(ip)),
})

/**
 * Percentages of a limit. New objects have 75 of it. All strangers together have half of that, so they never use up the calls of keys and sessions. Links
 * have less than all strangers, so payers of checkouts and invoices have some; one organisation, one link and one address have less than all links.
 */
const OF_STRANGERS = { all: 37.5, links: 30, organisation: 25, startedAt: 20, client: 10 } as const

/**
 * The shares of a limit that a call for something new counts for. What strangers take is not the merchant's: it still has its own share.
 * @param percent the share of one organisation's keys and sessions
 */
export function sharesOf(
  organisationId: string,
  percent: number,
  stranger: Stranger | undefined,
): NonNullable<BudgetedCall['shares']> {
  if (!stranger) return [{ id: organisationId, percent }]
  return [
    { id: 'strangers', percent: OF_STRANGERS.all },
    ...(stranger.isLink ? [{ id: 'links', percent: OF_STRANGERS.links }] : []),
    { id: `strangers of ${organisationId}`, percent: OF_STRANGERS.organisation },
    { id: stranger.startedAt, percent: OF_STRANGERS.startedAt },
    { id: stranger.client, percent: OF_STRANGERS.client },
  ]
}
