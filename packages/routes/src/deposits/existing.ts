import { hashKey, spellingsOf } from '@payments/kernel'
import { arrayOf, type SqlExecutor } from '@payments/platform'
import type { DepositReport } from '../provider/provider.ts'

/** What a report needs to know of a deposit that is stored. */
export interface StoredDeposit {
  readonly id: string
  readonly status: string
  readonly failureReason?: string | null | undefined
  readonly depositTxHash?: string | null | undefined
  readonly originCurrency: string
  readonly originAmount?: bigint | null | undefined
  readonly destinationAmount?: bigint | null | undefined
  /** What was sent back of a completed one, once that is known. */
  readonly returnedAmount?: bigint | null | undefined
  /** When an operator ended it. */
  readonly settledAt?: Date | null | undefined
}

interface Row {
  readonly id: string
  readonly route: string
  readonly status: string
  readonly failure_reason: string | null
  readonly request: string
  readonly hash: string | null
  readonly origin_currency: string
  readonly origin_amount: string | null
  readonly destination_amount: string | null
  readonly returned_amount: string | null
  readonly settled_at: Date | null
}

const COLUMNS = `id, payment_route_id as route, status, failure_reason, relay_request_id as request, deposit_tx_hash as hash,
  origin_currency, origin_amount::text, destination_amount::text, returned_amount::text, settled_at`

/** Reasons with which a deposit ends only until the provider reports another end: mined again after all, or released by the provider. */
const REVOCABLE: ReadonlySet<string> = new Set(['deposit_not_confirmed', 'provider_blocked'])

/** The stored deposits of routes that reports are about. */
export interface Existing {
  of(routeId: string, report: DepositReport): StoredDeposit | undefined
  /** Deposits that are created or changed meanwhile. */
  remember(routeId: string, report: DepositReport, row: StoredDeposit): void
}

/** The stored deposits that reports are about, in one statement: by the transaction at the address, else by the request. */
export async function findExisting(
  db: SqlExecutor,
  environment: string,
  routeIds: readonly string[],
  reports: readonly DepositReport[],
): Promise<Existing> {
  const { rows } =
    reports.length === 0
      ? { rows: [] }
      : await db.query<Row>(
          // As a subselect of its own, each request is looked up by the index, whatever the statistics of a young table say.
          `select d.* from unnest(${arrayOf('text', '$2')}) as r (request) cross join lateral (
             select ${COLUMNS} from payment_route_deposits where environment = $1 and relay_request_id = r.request offset 0) d
           union
           select ${COLUMNS} from payment_route_deposits where payment_route_id = any (${arrayOf('uuid', '$3')}) and deposit_tx_hash = any (${arrayOf('text', '$4')})
           union
           select ${COLUMNS} from payment_route_deposits where $5 and payment_route_id = any (${arrayOf('uuid', '$3')})`,
          [
            environment,
            reports.map(({ requestId }) => requestId),
            routeIds,
            reports.flatMap(({ depositTxHash }) => (depositTxHash === null ? [] : spellingsOf(depositTxHash))),
            reports.some(({ onlyDeposit }) => onlyDeposit),
          ],
        )
  const stored = rows.map((row) => ({
    ...row,
    deposit: {
      id: row.id,
      status: row.status,
      failureReason: row.failure_reason,
      depositTxHash: row.hash,
      originCurrency: row.origin_currency,
      originAmount: row.origin_amount === null ? null : BigInt(row.origin_amount),
      destinationAmount: row.destination_amount === null ? null : BigInt(row.destination_amount),
      returnedAmount: row.returned_amount === null ? null : BigInt(row.returned_amount),
      settledAt: row.settled_at,
    },
  }))
  const byRequest = new Map<string, StoredDeposit>(stored.map(({ request, deposit }) => [request, deposit]))
  const byHash = new Map<string, StoredDeposit>(
    stored.flatMap(({ route, hash, deposit }) =>
      hash === null ? [] : [[`${route} ${hashKey(hash)}`, deposit] as const],
    ),
  )
  // An address that can have one deposit has it, whoever told of it: an operator records it by a request of their own.
  const byRoute = new Map<string, StoredDeposit>(stored.map(({ route, deposit }) => [route, deposit]))
  return {
    of: (routeId, { depositTxHash, requestId, onlyDeposit }) =>
      byHash.get(`${routeId} ${depositTxHash && hashKey(depositTxHash)}`) ??
      byRequest.get(requestId) ??
      (onlyDeposit ? byRoute.get(routeId) : undefined),
    remember(routeId, { depositTxHash, requestId }, row) {
      byRequest.set(requestId, row)
      byRoute.set(routeId, row)
      if (depositTxHash !== null) byHash.set(`${routeId} ${hashKey(depositTxHash)}`, row)
    },
  }
}

/** What a report makes of a deposit. `contradicts`: its state has no path to what is reported. `return`: a part of it was sent back. */
export type Effect = 'create' | 'end' | 'return' | 'contradicts' | 'nothing'

/** An end counts with its amounts: a delivery of nothing is none. */
export const hasEnded = ({ status, originAmount, destinationAmount }: DepositReport): boolean =>
  status !== 'pending' && originAmount !== null && (status !== 'completed' || !!destinationAmount)

/** What a report makes of the deposit that it is about. */
export function effectOf(stored: StoredDeposit | undefined, report: DepositReport): Effect {
  if (!stored) return 'create'
  if (!hasEnded(report)) return 'nothing'
  if (stored.status === 'pending') return 'end'
  if (stored.status === report.status)
    return hasSameAmounts(stored, report) ? returnEffect(stored, report) : 'contradicts'
  // An end that another one followed is told again with every list.
  if (report.status === 'failed' && REVOCABLE.has(report.failureReason ?? '')) return 'nothing'
  // What an operator decided with evidence is for operators to change.
  if (stored.settledAt) return 'contradicts'
  return stored.status === 'failed' && REVOCABLE.has(stored.failureReason ?? '') ? 'end' : 'contradicts'
}

/** Whether a report names the transaction of a deposit of which none is known, whatever its state. */
export const learnsTransaction = (stored: StoredDeposit, { depositTxHash }: DepositReport): boolean =>
  stored.depositTxHash == null && depositTxHash !== null

/** Whether a report changes anything of what is stored. */
export const isNews = (stored: StoredDeposit | undefined, report: DepositReport): boolean =>
  effectOf(stored, report) !== 'nothing' || (!!stored && learnsTransaction(stored, report))

/** What goes back of a completed or refunded deposit, or went. Null where the report does not tell; more than was received is no amount of it. */
export const goesBack = ({ status, originAmount, returnedAmount = null }: Partial<DepositReport>): bigint | null =>
  (status === 'completed' || status === 'refunded') && returnedAmount !== null && returnedAmount <= (originAmount ?? 0n)
    ? returnedAmount
    : null

/** What was sent back of a completed or refunded deposit. Null where the report does not tell what arrived. */
export const sentBack = (report: DepositReport): bigint | null => (report.returnSent ? goesBack(report) : null)

/** A refund follows the deposit that it is a part of, and is sent once. */
function returnEffect({ returnedAmount: stored }: StoredDeposit, report: DepositReport): Effect {
  const sent = sentBack(report)
  if (sent === null || sent === stored) return 'nothing'
  return stored == null ? 'return' : 'contradicts'
}

const hasSameAmounts = (stored: StoredDeposit, { origin, originAmount, destinationAmount }: DepositReport): boolean =>
  stored.originCurrency === origin.currency &&
  stored.originAmount === originAmount &&
  (stored.destinationAmount ?? null) === destinationAmount
