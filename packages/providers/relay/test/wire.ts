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
  failReason: string | null
  refundFailReason: string | null
  /** When the sweep was mined, ms. */
  sweptAt: number | null
  readonly createdAt: number
  updatedAt: number
  over: Wire
}

/**
 * A request as `GET /requests/v3` returns it (migrating-to-requests-v3, "Response shape"). What real servers do, with its source:
 *
 * - `data.route.actual` falls back to `quoted` while there is no execution data (migrating-to-requests-v3, "Swap & route").
 * - Where a deposit was seen and no fill was attempted, `actual.origin.inputCurrency` is what was seen, its `outputCurrency` null, and
 *   `actual.destination` still falls back to `quoted` (changelog, 2026-07-30).
 * - `inTxs` is the sweep from the deposit address; the payer's transaction is `depositAddress.depositTxHash` (changelog, 2026-05-27)
 *   and `protocol.deposit.origin`.
 * - The entry of `inTxs` of a deposit that was reorganised out is a `failure` (changelog, 2026-06-10).
 */
export function onWire(one: Kept): Wire {
  const money = (coin: Coin, amount: bigint) => ({
    currency: { ...coin, symbol: tokenOf(coin)?.symbol ?? 'TOKEN', decimals: tokenOf(coin)?.decimals ?? 18 },
    amount: amount.toString(),
    amountFormatted: 'not used',
    amountUsd: '12.5',
    minimumAmount: '1',
  })
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
  const { amount, status } = one
  const ended = ['failure', 'refund'].includes(status)
  const actual =
    amount !== null && status === 'success'
      ? route(amount, one.from)
      : amount !== null && ended
        ? { ...quoted, origin: { ...leg(one.from, amount), outputCurrency: null } }
        : quoted
  const fill =
    status === 'success' || status === 'refund' ? [{ txHash: hashOf(`fill ${one.id}`), status: 'success' }] : []
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
      type: 'open',
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
