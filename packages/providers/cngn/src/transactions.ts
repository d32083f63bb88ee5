import type { ProviderTransaction } from '@payments/cngn'
import { assets, toMinor } from '@payments/kernel'
import type { Transaction } from './wire.ts'

const STATUSES: Readonly<Record<string, ProviderTransaction['status']>> = {
  success: 'completed',
  completed: 'completed',
  failed: 'failed',
  rejected: 'failed',
}
const CHANNELS: Readonly<Record<string, ProviderTransaction['channel']>> = {
  deposit: 'bank_in',
  fiat_buy: 'bank_in',
  enaira_buy: 'bank_in',
  crypto_deposit: 'crypto_in',
  redeem: 'payout',
  fiat_redeem: 'payout',
  enaira_redeem: 'payout',
  withdrawal: 'withdrawal',
  withdraw: 'withdrawal',
}

/** Naira as minor units of cNGN. */
export const cngnOf = (naira: string): bigint => toMinor(naira, assets.cNGN)

/** What a reference may look like in a narration. */
const REFERENCE = /[A-Za-z0-9][A-Za-z0-9-]{5,63}/g

/**
 * A transaction of the list as a movement; undefined for one that moves nothing of ours, such as a swap between chains. An unknown
 * status counts as pending.
 */
export function movementOf(tx: Transaction): ProviderTransaction | undefined {
  const reference = tx.trx_ref ?? tx.id
  const type = Object.hasOwn(CHANNELS, tx.trx_type) ? CHANNELS[tx.trx_type] : undefined
  if (!type || !reference) return undefined
  const txHash = tx.extl_trx_hash ?? tx.base_trx_hash
  // The list calls both kinds of deposits the same; one on a chain has a transaction there.
  const channel = type === 'bank_in' && tx.base_trx_hash && tx.receiver?.address ? 'crypto_in' : type
  const amount = cngnOf(tx.amount)
  if (amount === 0n) return undefined
  const to = tx.receiver?.accountNumber ?? tx.receiver?.address
  const targets =
    channel === 'bank_in'
      ? [...new Set([reference, ...(tx.trx_ref && tx.id ? [tx.id] : []), ...(tx.description?.match(REFERENCE) ?? [])])]
      : to
        ? [to]
        : []
  return {
    reference,
    channel,
    status: Object.hasOwn(STATUSES, tx.status) ? (STATUSES[tx.status] ?? 'pending') : 'pending',
    asset: 'cNGN',
    amount,
    fee: 0n,
    convertedAmount: null,
    targets,
    txHash,
    failureReason: null,
    outcomeUnknown: false,
    at: tx.createdAt,
  }
}
