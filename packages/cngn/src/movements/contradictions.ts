import { recordContradiction, recordReport, type UnitOfWork } from '@payments/platform'
import type { TransferRow } from '../entity.ts'
import { goesOut } from '../kinds/kinds.ts'
import type { ProviderTransaction } from '../provider/provider.ts'
import { update } from '../resources/transfers.ts'

/** A movement as evidence, without names and accounts. */
function evidenceOf(row: TransferRow, tx: ProviderTransaction) {
  const { reference, channel, status, asset, amount, fee, txHash, failureReason, at } = tx
  // Of an order, a rounded amount is the order's.
  const exact = amount !== null && row.amount && sameAmount(amount, row.amount) ? row.amount : amount
  const moved = exact === null ? undefined : { asset, amount: exact }
  return {
    organisationId: row.organisationId,
    environment: row.environment,
    resourceType: `cngn_${row.kind}`,
    resourceId: row.id,
    provider: row.provider,
    report: { reference, channel, status, asset, amount, fee, txHash, failureReason, at },
    amounts: goesOut(row.kind, row.fromCurrency)
      ? { delivered: row.kind === 'convert' ? undefined : moved }
      : { received: moved },
  }
}

/** Keeps the report by which an object ended. */
export const keepReport = (unit: UnitOfWork, row: TransferRow, tx: ProviderTransaction): void =>
  recordReport(unit, evidenceOf(row, tx))

/** What a report is told to operators by: the same one once, also after they have settled it. */
export const contradictionOf = ({ reference, status }: Pick<ProviderTransaction, 'reference' | 'status'>): string =>
  `${reference} ${status}`

/** Keeps a report that no path of the object's states reaches, and marks the object for operators. */
export async function contradict(
  unit: UnitOfWork,
  row: TransferRow,
  tx: ProviderTransaction,
  reason: string,
): Promise<TransferRow> {
  const contradiction = contradictionOf(tx)
  if (row.contradiction === contradiction) return row
  recordContradiction(unit, { ...evidenceOf(row, tx), reason })
  return update(unit, row, { attention: row.attention ?? 'contradicting_report', contradiction })
}

/** Naira are listed with two decimals: an amount of the list may be rounded. */
export const ROUNDED = 10_000n

/** Is a listed amount that of the order? */
export const sameAmount = (listed: bigint, ordered: bigint): boolean =>
  listed === ordered || (listed % ROUNDED === 0n && listed - ordered < ROUNDED && ordered - listed < ROUNDED)
