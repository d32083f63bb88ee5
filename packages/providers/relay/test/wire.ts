import { createHash } from 'node:crypto'
import { type Coin, tokenOf } from './facts.ts'

export type Wire = Record<string, unknown>

/** A request as the fake keeps it; `over` replaces fields of its response. */
export interface Kept {
  readonly id: string
  readonly address: string
  status: string
  /** What becomes of it when it settles: `completed`, `failed`, `refunded` or one of Relay's own statuses. */
  outcome: string
  from: Coin
  readonly to: Coin
  /** What was quoted. */
  quoted: bigint
  /** What arrived; null before. */
  amount: bigint | null
  readonly delivers: (amount: bigint) => bigint
  txHash: string | null
  readonly refundTo: string | null
  /** Bound to one order: it fills what was asked for, and refunds the excess. */
  readonly strict: boolean
  /** Which of the two `actual` repeats for more than was asked of a strict address: the documents do not say. */
  readonly reading: () => 'asked' | 'arrived'
  /** Transactions that paid out, where they are not what follows from the status. */
  fills?: readonly object[]
  failReason: string | null
  refundFailReason: string | null
  /** When the sweep was mined, ms. */
  sweptAt: number | null
  readonly createdAt: number
  updatedAt: number
  over: Wire
}

/** Dollars of one token. */
const PRICES: Readonly<Record<string, number>> = { USDC: 1, USDT: 1, EURC: 1.08, ETH: 2500, SOL: 150 }

/** An amount as Relay reports it, in the decimals of its token. */
export function money(coin: Coin, amount: bigint) {
  const { symbol = 'TOKEN', decimals = 18 } = tokenOf(coin) ?? {}
  const whole = Number(amount) / 10 ** decimals
  return {
    currency: { ...coin, symbol, decimals },
    amount: amount.toString(),
    amountFormatted: String(whole),
    amountUsd: symbol in PRICES ? (whole * (PRICES[symbol] ?? 0)).toFixed(6) : null,
    minimumAmount: ((amount * 995n) / 1000n).toString(),
  }
}

/** So much of one token as another is worth, at the prices of the fake. */
export function worth(amount: bigint, from: Coin, to: Coin): bigint {
  const [given, got] = [tokenOf(from), tokenOf(to)]
  if (!given || !got) return amount
  const cents = (symbol: string) => BigInt(Math.round((PRICES[symbol] ?? 1) * 100))
  return (
    (amount * cents(given.symbol) * 10n ** BigInt(got.decimals)) / (cents(got.symbol) * 10n ** BigInt(given.decimals))
  )
}

/** The refund of an excess is a transaction of its own, after the fill, unless it would not cover its gas. */
const refundLegs = (one: Kept, filled: boolean): object[] =>
  filled && one.refundFailReason === null ? [{ txHash: hashOf(`refund ${one.id}`), status: 'success' }] : []

/**
 * A request as `GET /requests/v3` returns it (migrating-to-requests-v3, "Response shape"). What real servers do, with its source:
 *
 * - `data.route.actual` falls back to `quoted` while there is no execution data (migrating-to-requests-v3, "Swap & route").
 * - Where a deposit was seen and no fill was attempted, `actual.origin.inputCurrency` is what was seen, its `outputCurrency` null, and
 *   `actual.destination` still falls back to `quoted` (changelog, 2026-07-30).
 * - `inTxs` is the sweep from the deposit address; the payer's transaction is `depositAddress.depositTxHash` (changelog, 2026-05-27)
 *   and `protocol.deposit.origin`.
 * - Amounts have the decimals of their token, and `amountUsd` is what they are worth (relay-kit, `api.ts`, quote and requests/v3).
 * - A strict address fills what was asked for and refunds the excess as a leg of its own, net of gas (deposit-addresses.mdx, "amount mismatch"); whether
 *   `actual` then repeats what was asked for or what arrived is not documented. One whose refund would not cover the gas has `refundFailReason`
 *   AMOUNT_TOO_LOW_TO_REFUND (refunds.mdx).
 * - The entry of `inTxs` of a deposit that was reorganised out is a `failure` (changelog, 2026-06-10).
 */
export function onWire(one: Kept): Wire {
  const leg = (coin: Coin, amount: bigint) => ({
    inputCurrency: money(coin, amount),
    outputCurrency: money(coin, amount),
    router: 'relay',
  })
  const route = (amount: bigint, from: Coin) => ({
    origin: leg(from, amount),
    destination: leg(one.to, one.delivers(amount)),
  })
  const quoted = route(one.quoted, one.from)
  const filled = one.strict && one.amount !== null && one.amount > one.quoted
  const { amount, status } = one
  const ended = ['failure', 'refund'].includes(status)
  const actual =
    amount !== null && status === 'success'
      ? filled
        ? one.reading() === 'asked'
          ? quoted
          : { ...quoted, origin: leg(one.from, amount) }
        : route(amount, one.from)
      : amount !== null && ended
        ? { ...quoted, origin: { ...leg(one.from, amount), outputCurrency: null } }
        : quoted
  const fill =
    one.fills ??
    refundLegs(one, filled).concat(
      status === 'success' || status === 'refund' ? [{ txHash: hashOf(`fill ${one.id}`), status: 'success' }] : [],
    )
  const sweep =
    one.sweptAt === null
      ? []
      : [
          {
            txHash: hashOf(`sweep ${one.id}`),
            chainId: one.from.chainId,
            timestamp: Math.floor(one.sweptAt / 1000),
            status: one.failReason === 'DEPOSIT_REORGED' ? 'failure' : 'success',
          },
        ]
  return {
    id: one.id,
    status,
    user: 'unknown',
    refundTo: one.refundTo,
    supersededByRequestId: null,
    requestType: 'Bridge',
    features: ['deposit_address'],
    createdAt: new Date(one.createdAt).toISOString(),
    updatedAt: new Date(one.updatedAt).toISOString(),
    depositAddress: {
      address: one.address,
      type: one.strict ? 'strict' : 'open',
      depositor: null,
      depositTxHash: one.txHash,
      recoveryAddress: null,
    },
    data: {
      failReason: ended ? (one.failReason ?? 'SLIPPAGE') : null,
      refundFailReason: one.refundFailReason,
      inTxs: sweep,
      outTxs: fill,
      route: { quoted, actual: { rate: '1', ...actual } },
    },
    protocol:
      one.txHash === null || amount === null
        ? null
        : {
            orderId: hashOf(`order ${one.id}`),
            hubType: 'onchain',
            deposit: {
              origin: {
                amount: amount.toString(),
                chainId: one.from.chainId,
                currency: one.from.address,
                depositor: 'unknown',
                transactionId: one.txHash,
              },
            },
          },
    ...one.over,
  }
}

const hashOf = (text: string): string => `0x${createHash('sha256').update(text).digest('hex')}`
