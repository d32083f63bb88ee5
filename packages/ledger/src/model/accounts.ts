import { hash } from 'node:crypto'
import type { AssetSymbol, Tenant } from '@payments/kernel'

/**
 * The purpose of an account. A positive balance is money that the account holds.
 * `available`, `reserved`: money of a customer (or of the organisation) that the service holds, free or under a hold.
 * `destination`: money that was delivered to the merchant. `clearing`: money that a provider holds for the service.
 * `exchange`: both sides of conversions. `external`: the counterpart of money that enters or leaves the service.
 * `fees`: fees that were charged. `suspense`: money that is not yet allocated.
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

/** Identifies an account of the actor's organisation and environment. The first posting creates the account. */
export interface AccountKey {
  readonly purpose: Purpose
  readonly asset: AssetSymbol
  /** The customer who owns the money; absent or null for money of the organisation. */
  readonly customerId?: string | null
  /** The provider, for purposes that have an account for each provider: `relay`. */
  readonly party?: string
}

/**
 * The id of an account: a UUIDv8 (RFC 9562) derived from the tenant and the key. So a posting needs no lookup, and every
 * process locks accounts in the same order.
 */
export function accountId({ organisationId, environment }: Tenant, key: AccountKey): string {
  const owner = [organisationId, environment, key.customerId ?? ''].join('/').toLowerCase()
  const name = [owner, key.asset, key.purpose, key.party ?? ''].join('/')
  const hex = hash('sha256', name)
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
