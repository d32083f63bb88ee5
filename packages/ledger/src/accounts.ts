import { hash } from 'node:crypto'
import type { AssetSymbol, Tenant } from '@payments/kernel'

/**
 * What an account is for. A positive balance is money that the account holds.
 * `available`, `reserved`: a customer's (or the organisation's own) money with us, free or held for something under way.
 * `destination`: what was delivered to the merchant outside. `clearing`: what a provider has of ours at the moment.
 * `exchange`: the two sides of conversions. `external`: the world that money comes from and goes to.
 * `fees`: what was charged on the way. `suspense`: what nobody can explain yet.
 */
export const purposes = [
  'available',
  'reserved',
  'destination',
  'clearing',
  'exchange',
  'external',
  'fees',
  'suspense',
] as const
export type Purpose = (typeof purposes)[number]

/** Names an account of the actor's organisation and environment. It comes to be with its first posting. */
export interface AccountKey {
  readonly purpose: Purpose
  readonly asset: AssetSymbol
  /** Whose money; the organisation's own where there is none. */
  readonly customerId?: string | null
  /** Which provider, where a purpose is kept apart for each: `relay`. */
  readonly party?: string
}

/**
 * The id of an account: a UUIDv8 (RFC 9562) made from what the account is. So a posting needs no lookup, and every
 * process locks accounts in the same order.
 */
export function accountId({ organisationId, environment }: Tenant, key: AccountKey): string {
  const owner = [organisationId, environment, key.customerId ?? ''].join('/').toLowerCase()
  const name = [owner, key.asset, key.purpose, key.party ?? ''].join('/')
  const hex = hash('sha256', name)
  const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
