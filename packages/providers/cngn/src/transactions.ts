import { PAYIN_REFERENCE, type ProviderTransaction, type UnreadableRecord } from '@payments/cngn'
import { AmountError, assets, toMinor } from '@payments/kernel'
import { helpful, ProviderUtcTime } from '@payments/provider-http'
import { Transaction } from './wire.ts'

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

/** What may be a reference in a narration: ours, or a word with a digit. A name of a person is neither, and is not kept. */
const REFERENCE = new RegExp(`${PAYIN_REFERENCE}[A-Z0-9-]{1,60}|(?=[A-Za-z-]*\\d)[A-Za-z0-9][A-Za-z0-9-]{5,63}`, 'gi')
/** The receiver of a redemption as text: `bankCode:accountNumber:accountName`. */
const ACCOUNT = /^[^:]*:(\d{6,20})(:|$)/

/** What one element of a list says. `none`: it moves nothing of ours, such as a bridge or another asset. */
export type Read =
  | { readonly movement: ProviderTransaction }
  | { readonly unreadable: UnreadableRecord }
  | { readonly none: true }

/**
 * Reads one element, whatever the others are. One that does not have the documented shape is returned as it is, so that it is
 * kept and reported. What the element leaves out is null; an unknown status counts as pending.
 */
export function movementOf(element: unknown): Read {
  const tx = Transaction.safeParse(element)
  if (!tx.success) return { unreadable: unreadable(element, tx.error.issues[0]?.path.join('.') || 'shape') }
  const { data } = tx
  const type = Object.hasOwn(CHANNELS, data.trx_type) ? CHANNELS[data.trx_type] : undefined
  const symbol = data.asset_symbol?.toUpperCase()
  if (!type || (symbol && symbol !== 'CNGN' && symbol !== 'NGN')) return { none: true }
  const reference = data.trx_ref ?? data.id
  if (!reference) return { unreadable: unreadable(element, 'trx_ref') }
  let amount: bigint | null
  try {
    amount = data.amount === null ? null : cngnOf(data.amount)
  } catch (error) {
    if (!(error instanceof AmountError)) throw error
    return { unreadable: unreadable(element, 'amount') }
  }
  if (amount === 0n) return { none: true }
  const channel = channelOf(type, data)
  return {
    movement: {
      reference,
      ...(data.id && data.id !== reference ? { aliases: [data.id] } : {}),
      ...(data.trx_ref ? {} : { provisional: true }),
      channel,
      status: data.status && Object.hasOwn(STATUSES, data.status) ? (STATUSES[data.status] ?? 'pending') : 'pending',
      asset: 'cNGN',
      amount,
      fee: 0n,
      convertedAmount: null,
      targets: targetsOf(channel, reference, data),
      // The chain of the receiver first; the other is the mint or the burn on the provider's own chain.
      txHash: channel === 'bank_in' ? null : (data.extl_trx_hash ?? data.base_trx_hash),
      failureReason: null,
      outcomeUnknown: false,
      partial: amount === null || data.createdAt === null || (channel.endsWith('_in') && data.description === null),
      at: data.createdAt,
    },
  }
}

/**
 * The list calls deposits from a bank and on a chain the same. One on a chain has an address that received it; the hash alone says
 * nothing, because a deposit from a bank gets that of its mint.
 */
const channelOf = (type: ProviderTransaction['channel'], tx: Transaction): ProviderTransaction['channel'] =>
  type === 'bank_in' && (tx.base_trx_hash || tx.extl_trx_hash) && tx.receiver?.address ? 'crypto_in' : type

function targetsOf(channel: ProviderTransaction['channel'], reference: string, tx: Transaction): string[] {
  const receiver = tx.receiver
  if (!channel.endsWith('_in')) {
    const account = receiver?.accountNumber ?? receiver?.text?.match(ACCOUNT)?.[1]
    const to = channel === 'payout' ? (account ?? receiver?.text) : (receiver?.address ?? receiver?.text)
    return to ? [to] : []
  }
  const references = [reference, tx.trx_ref && tx.id, ...(tx.description?.match(REFERENCE) ?? [])]
  const address = channel === 'crypto_in' ? (receiver?.address ?? receiver?.text) : null
  return [...new Set([address, ...references].filter((target): target is string => Boolean(target)))]
}

const LONGEST_REPORT = 4000
/** Fields whose values are kept of an element that cannot be read. The others may have names and accounts of persons. */
const KEPT = new Set([
  ...['id', 'trx_ref', 'trx_type', 'status', 'amount', 'asset_type', 'asset_symbol', 'network', 'createdAt'],
  ...['base_trx_hash', 'extl_trx_hash'],
])
/** A value that is kept: a code, a number or a time, and no words. */
const CODE = /^[\w.:+-]{0,100}$/

/** An element without what identifies a person: of other fields, only what kind of value they have. */
function redacted(element: unknown): unknown {
  if (typeof element !== 'object' || element === null) return kindOf(element)
  if (Array.isArray(element)) return `[${element.length} elements]`
  return Object.fromEntries(
    Object.entries(element).map(([field, value]) => [
      CODE.test(field) ? field.slice(0, 40) : '[field]',
      KEPT.has(field) && isCode(value) ? value : kindOf(value),
    ]),
  )
}
const isCode = (value: unknown): boolean =>
  value === null ||
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  (typeof value === 'string' && CODE.test(value))
const kindOf = (value: unknown): unknown =>
  value === null ? null : typeof value === 'string' ? `[${value.length} characters]` : `[${typeof value}]`

function unreadable(element: unknown, field: string): UnreadableRecord {
  const { trx_ref, id, createdAt } = (typeof element === 'object' && element ? element : {}) as Record<string, unknown>
  const reference = [trx_ref, id].find((name): name is string => typeof name === 'string' && CODE.test(name)) ?? null
  return {
    reference,
    field,
    at: helpful(ProviderUtcTime).parse(createdAt),
    report: (JSON.stringify(redacted(element)) ?? 'undefined').slice(0, LONGEST_REPORT),
  }
}
