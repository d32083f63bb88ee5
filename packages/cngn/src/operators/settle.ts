import { type AssetSymbol, assets, invalid, spelledHash } from '@payments/kernel'
import {
  actingFor,
  recordReport,
  requireSecondOperator,
  settleContradictions,
  sqlOf,
  type UnitOfWork,
} from '@payments/platform'
import type { z } from 'zod'
import type { Settlement } from '../admin-schemas.ts'
import type { TransferRow } from '../entity.ts'
import { errors } from '../errors.ts'
import { minorAmount } from '../kinds/amounts.ts'
import { CNGN, goesOut } from '../kinds/kinds.ts'
import { detachReceipts, insertSettled, lockHash, settleReceiptOf } from '../movements/receipts/table.ts'
import { creditRefund } from '../movements/receipts/unassigned.ts'
import { CALL_SECONDS } from '../movements/sends/evidence.ts'
import { endSend } from '../movements/sends/found.ts'
import { isInDoubt } from '../movements/sends/holds.ts'
import { FAILED } from '../movements/sends/outgoing.ts'
import { isUnderWay } from '../movements/sends/table.ts'
import { complete, fail, lockedTransfer, process, recover, revoke } from '../resources/transfers.ts'
import { findAnywhere } from './admin.ts'

type Input = z.output<typeof Settlement>

/**
 * Ends an object as an operator knows that it ended, with the same states, events and entries as if the provider had reported it: one
 * that has not ended, or one whose end a report contradicts. Later reports that contradict are told again.
 * @throws cngn_transfer_not_found 404, cngn_nothing_to_settle 409, cngn_send_under_way 409, cngn_evidence_used 409, validation_failed 422,
 * cngn_insufficient_balance 422 when money must be taken back that the customer has spent, second_operator_required 403
 */
export async function settle(unit: UnitOfWork, input: Input): Promise<{ before: TransferRow; row: TransferRow }> {
  const found = await findAnywhere(unit, input.transferId)
  const own = actingFor(unit, found)
  const before = await lockedTransfer(own, found.kind, found.id)
  const out = goesOut(before.kind, before.fromCurrency)
  const ended = before.status === 'completed' || before.status === 'failed'
  // Money that arrived after all counts once by its reference, so nothing need contradict the end.
  const contradicted = before.contradiction || (!out && before.status === 'failed')
  if (ended && (before.status === input.outcome || !contradicted)) throw errors.cngn_nothing_to_settle()
  // Nothing is sent before a second person has approved it, unless a restored database has forgotten that one has.
  if (before.approvalStatus === 'waiting' && input.outcome === 'completed' && !(await isInDoubt(own, before.id)))
    throw errors.cngn_nothing_to_settle()
  if (out && (await isUnderWay(own, before.id))) throw errors.cngn_send_under_way({ retryAfter: CALL_SECONDS })
  const amounts = out ? leaving(before, input) : arriving(before, input)
  await requireSecondOperator(own, assets[(before.fromCurrency ?? CNGN) as AssetSymbol], amounts.moved)
  const reference = out ? await ofOrder(own, before, input) : await ofReceipt(own, before, input, amounts.moved)
  const row = await end(own, before, input, {
    ...amounts.fields,
    ...(reference ? { providerReference: reference } : {}),
  })
  settleContradictions(own, row)
  const reported = { asset: row.fromCurrency ?? CNGN, amount: amounts.moved }
  recordReport(own, {
    ...{ organisationId: row.organisationId, environment: row.environment, provider: 'operator' },
    ...{ resourceType: `cngn_${row.kind}`, resourceId: row.id },
    report: { outcome: input.outcome, reference, evidence: input.evidence },
    amounts: out ? {} : { received: input.outcome === 'completed' ? reported : undefined },
  })
  return { before, row }
}

interface Amounts {
  /** What this says that moved, in the currency of the object: it decides whether one operator is enough. */
  readonly moved: bigint
  readonly fields: Partial<TransferRow> & { kept?: bigint }
}

/** Of money out: what was delivered (the rest is the fee), or what came back (the rest was kept). */
function leaving(row: TransferRow, { outcome, amount: text, txHash }: Input): Amounts {
  const moved = row.amount ?? 0n
  const hash =
    txHash === undefined
      ? {}
      : outcome === 'completed'
        ? { txHash }
        : { refundTxHash: spelledHash(row.receiveNetworkKey ?? '', txHash) }
  if (outcome === 'completed' && row.toCurrency)
    return {
      moved,
      fields: { ...hash, ...(text === undefined ? {} : { convertedAmount: minorAmount(text, row.toCurrency) }) },
    }
  const given = text === undefined ? moved : minorAmount(text, CNGN)
  if (given > moved) throw invalid({ amount: 'Must be at most the amount of the object' })
  return { moved, fields: { ...hash, ...(outcome === 'completed' ? { fee: moved - given } : { kept: moved - given }) } }
}

/** Of money in: what arrived. A convert becomes as much as its rate says. */
function arriving(row: TransferRow, { outcome, amount: text, txHash }: Input): Amounts {
  const known = row.amount ?? row.receiveAmount
  const moved = text === undefined ? known : minorAmount(text, row.fromCurrency ?? CNGN)
  if (outcome === 'failed') return { moved: known ?? 0n, fields: {} }
  if (!moved) throw invalid({ amount: 'Required: how much arrived is not known' })
  const hash = txHash === undefined ? {} : row.fromCurrency ? { depositTxHash: txHash } : { txHash }
  const share = (of: bigint | null | undefined) => ((of ?? 0n) * moved) / (known ?? moved)
  const converted = row.fromCurrency ? { convertedAmount: share(row.convertedAmount), fee: share(row.fee) } : {}
  return { moved, fields: { ...hash, amount: moved, ...converted } }
}

async function end(
  unit: UnitOfWork,
  before: TransferRow,
  { outcome }: Input,
  { kept, ...fields }: Amounts['fields'],
): Promise<TransferRow> {
  if (outcome === 'completed') {
    if (before.status === 'failed') return recover(unit, before, fields)
    const row = before.status === 'pending' ? await process(unit, before, fields) : before
    return complete(unit, row, fields)
  }
  const reason = before.failureReason ?? FAILED[before.kind]
  const more = { ...fields, ...(kept === undefined ? {} : { kept }) }
  return before.status === 'completed' ? revoke(unit, before, reason, more) : fail(unit, before, reason, more)
}

/** Ends the order of money out. The reference that an operator knows belongs to it from now on. */
async function ofOrder(
  unit: UnitOfWork,
  row: TransferRow,
  { reference, outcome, txHash }: Input,
): Promise<string | undefined> {
  const db = sqlOf(unit.em)
  if (reference) {
    const { rows } = await db.query(
      'select 1 from cngn_sends where environment = $1 and account = $2 and reference = $3 and id <> $4',
      [row.environment, row.account, reference, row.id],
    )
    if (rows.length > 0) throw errors.cngn_evidence_used()
  }
  // It was held for money that left without an order, which is another's then: an equal request may be the one that was forgotten.
  if (reference || outcome === 'failed')
    await db.query('update cngn_forgotten set order_id = null where order_id = $1 and reference is distinct from $2', [
      row.id,
      reference ?? null,
    ])
  await endSend(unit, row.id, { watch: outcome === 'failed', reference: reference ?? null })
  if (outcome === 'failed' && txHash) {
    await lockHash(unit, txHash)
    await creditRefund(unit, txHash, row.id)
  }
  return reference ?? row.providerReference ?? undefined
}

/** The receipt of money in: it counts once by the provider's reference, also when an operator says that it arrived. */
async function ofReceipt(
  unit: UnitOfWork,
  row: TransferRow,
  { reference, outcome }: Input,
  amount: bigint,
): Promise<string | undefined> {
  const db = sqlOf(unit.em)
  const { rows } = await db.query<{
    id: string
    reference: string
    alias: string | null
    status: string
    transfer_id: string | null
  }>(
    `select id, reference, alias, status, transfer_id from cngn_receipts
      where environment = $1 and account = $2 and (transfer_id = $3 or reference = $4 or alias = $4) order by $4 in (reference, alias) desc for update`,
    [row.environment, row.account, row.id, reference ?? null],
  )
  const [receipt] = reference ? rows.filter((each) => [each.reference, each.alias].includes(reference)) : rows
  if (
    receipt &&
    receipt.transfer_id !== row.id &&
    !(receipt.transfer_id === null && ['open', 'failed'].includes(receipt.status))
  )
    throw errors.cngn_evidence_used()
  // What else is on its way belongs to nothing any more: when it arrives, it is money of its own.
  await detachReceipts(
    unit,
    rows.flatMap(({ id }) => (id === receipt?.id ? [] : [id])),
  )
  if (receipt) await settleReceiptOf(unit, receipt.id, outcome === 'completed' ? 'credited' : 'failed', row.id)
  else if (outcome === 'completed') {
    if (!reference)
      throw invalid({ reference: 'Required: the provider’s reference of the money, so that it counts once' })
    await insertSettled(
      unit,
      { ...row, environment: row.environment, transferId: row.id },
      { reference, asset: row.fromCurrency ?? CNGN, amount },
    )
  }
  return row.providerReference ?? receipt?.reference ?? reference
}
