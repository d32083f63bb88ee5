import { assets, errors as commonErrors, noInput } from '@payments/kernel'
import { actingFor, operatorCommand, query, requireSecondOperator, settleContradictions } from '@payments/platform'
import {
  AdminTransferStatus,
  AdminTransfers,
  AssignedReceipt,
  AssignReceipt,
  BookedTreasury,
  SettledReceipt,
  Settlement,
  SettleReceipt,
  Suspense,
  TransferId,
  Treasuries,
  TreasuryBooking,
} from '../admin-schemas.ts'
import { errors } from '../errors.ts'
import { decimal, minorAmount } from '../kinds/amounts.ts'
import { CNGN } from '../kinds/kinds.ts'
import { bookDifference } from '../money/treasury.ts'
import { bindAccount, sameAccount } from '../movements/credentials.ts'
import { assign, findAnywhere, settleReceipt, suspense, treasuries, unfinished } from '../operators/admin.ts'
import { releaseTransfer } from '../operators/release.ts'
import { settle } from '../operators/settle.ts'
import { pollFeedSoon } from '../provider/schedule.ts'
import { lockedTransfer, update } from '../resources/transfers.ts'
import { TAG } from './transfer-router.ts'

/** Operator operations on cNGN of any organisation. */
export const cngnAdminRouter = {
  transfers: query({
    rest: 'GET /admin/ops/cngn/transfers',
    access: 'operator',
    tag: TAG,
    summary: 'List cNGN objects in flight and those that need attention',
    description:
      'Objects of all organisations. `attention`: `contradicting_report` (the provider reported something else than what the object is), `outcome_unknown` (it may have been sent, and the provider does not say), `other_credentials` (it was created with another API key, and waits for it), `money_with_provider` (a conversion that was neither delivered nor sent back). At most 200; `total` counts all.',
    message: 'Objects retrieved',
    input: noInput,
    output: AdminTransfers,
    run: (context) => unfinished(context),
  }),
  sync: operatorCommand({
    rest: 'POST /admin/ops/cngn/transfers/{transferId}/sync',
    tag: TAG,
    summary: 'Read the provider’s list for a cNGN object now',
    description:
      'At once instead of at the next poll, which happens by itself. It uses the rate budget of the provider. An object that waits for other credentials (`other_credentials`) goes on with those of now, and everything else of its account, if they show the newest movements of that account: its key was made anew.',
    message: 'Sync started',
    input: TransferId,
    output: AdminTransferStatus,
    errors: [
      errors.cngn_transfer_not_found,
      errors.cngn_other_account,
      errors.cngn_provider_failed,
      errors.cngn_provider_unavailable,
      errors.cngn_provider_busy,
    ],
    beforeOnlyReads: true,
    before: async (context, { transferId }) => sameAccount(context.runtime, await findAnywhere(context, transferId)),
    async run(unit, { transferId }, same) {
      const { id, kind, status, organisationId, environment, account } = await findAnywhere(unit, transferId)
      if (same) await bindAccount(unit, same)
      unit.afterCommit(() => {
        pollFeedSoon(unit.runtime, environment, account, true).catch((error: unknown) =>
          unit.log.warn({ err: error }, 'sync failed'),
        )
      })
      return { reply: { id, kind, status }, subject: { id, organisationId, environment } }
    },
  }),
  settle: operatorCommand({
    rest: 'POST /admin/ops/cngn/transfers/{transferId}/settle',
    tag: TAG,
    summary: 'Settle a cNGN object',
    description:
      'For objects that have not ended, or whose end a report contradicts: the states, events and entries are those of a report of the provider. Later reports that contradict are marked.',
    message: 'Object settled',
    input: Settlement,
    output: AdminTransferStatus,
    errors: [
      errors.cngn_transfer_not_found,
      errors.cngn_nothing_to_settle,
      errors.cngn_evidence_used,
      errors.cngn_send_under_way,
      errors.cngn_insufficient_balance,
      commonErrors.second_operator_required,
    ],
    money: true,
    async run(unit, input) {
      const { before, row } = await settle(unit, input)
      const { id, kind, status, organisationId, environment } = row
      return {
        reply: { id, kind, status },
        subject: { id, organisationId, environment },
        before: { status: before.status, attention: before.attention ?? null },
        after: { status, failureReason: row.failureReason ?? null, evidence: input.evidence },
      }
    },
  }),
  release: operatorCommand({
    rest: 'POST /admin/ops/cngn/transfers/{transferId}/release',
    tag: TAG,
    summary: 'Release a held cNGN object',
    description:
      'For money out that was held before it was sent: its organisation was suspended, or it looks like money that left before a restore. It is sent now, even if the organisation is still suspended. To end it instead, settle it as `failed`: its money is back in the balance.',
    message: 'Object released',
    input: TransferId,
    output: AdminTransferStatus,
    errors: [errors.cngn_transfer_not_found, errors.cngn_nothing_held, commonErrors.second_operator_required],
    money: true,
    async run(unit, { transferId }) {
      const { before, row } = await releaseTransfer(unit, transferId)
      const { id, kind, status, organisationId, environment } = row
      return {
        reply: { id, kind, status },
        subject: { id, organisationId, environment },
        before: { attention: before.attention ?? null },
        after: { attention: row.attention ?? null },
      }
    },
  }),
  resolve: operatorCommand({
    rest: 'POST /admin/ops/cngn/transfers/{transferId}/resolve',
    tag: TAG,
    summary: 'Mark a cNGN object as handled',
    description: 'Removes `attention`, and its contradicting reports count as settled. State and balances stay.',
    message: 'Object resolved',
    input: TransferId,
    output: AdminTransferStatus,
    errors: [errors.cngn_transfer_not_found],
    async run(unit, { transferId }) {
      const found = await findAnywhere(unit, transferId)
      const own = actingFor(unit, found)
      const row = await lockedTransfer(own, found.kind, found.id)
      if (row.attention) await update(own, row, { attention: null })
      settleContradictions(own, row)
      const { id, kind, status, organisationId, environment } = row
      return {
        reply: { id, kind, status },
        subject: { id, organisationId, environment },
        before: { attention: row.attention ?? null },
        after: { attention: null },
      }
    },
  }),
  suspense: query({
    rest: 'GET /admin/ops/cngn/suspense',
    access: 'operator',
    tag: TAG,
    summary: 'List transfers in suspense',
    description: 'Money that arrived and that no reference ties to exactly one payin. At most 200; `total` counts all.',
    message: 'Transfers retrieved',
    input: noInput,
    output: Suspense,
    run: (context) => suspense(context),
  }),
  assign: operatorCommand({
    rest: 'POST /admin/ops/cngn/suspense/{receiptId}/assign',
    tag: TAG,
    summary: 'Credit a transfer in suspense to a customer',
    description: 'As a payin of the customer.',
    message: 'Transfer assigned',
    input: AssignReceipt,
    output: AssignedReceipt,
    errors: [
      errors.cngn_receipt_not_found,
      errors.cngn_receipt_assigned,
      errors.cngn_suspense_moved,
      errors.cngn_not_enabled,
      commonErrors.second_operator_required,
    ],
    money: true,
    async run(unit, input) {
      const { id, status, amount, organisationId, environment } = await assign(unit, input)
      await requireSecondOperator(unit, assets.cNGN, amount ?? 0n)
      return { reply: { id, status }, subject: { id, organisationId, environment } }
    },
  }),
  settleReceipt: operatorCommand({
    rest: 'POST /admin/ops/cngn/suspense/{receiptId}/settle',
    tag: TAG,
    summary: 'Settle a transfer in suspense',
    description: 'For one that is no customer’s, or that an entry of the ledger has moved. It is not listed any more.',
    message: 'Transfer settled',
    input: SettleReceipt,
    output: SettledReceipt,
    errors: [
      errors.cngn_receipt_not_found,
      errors.cngn_receipt_assigned,
      errors.cngn_suspense_moved,
      errors.cngn_suspense_held,
      commonErrors.second_operator_required,
    ],
    money: true,
    async run(unit, input) {
      const { id, organisationId, environment, before } = await settleReceipt(unit, input)
      return {
        reply: { id, status: input.outcome },
        subject: { id, environment, ...(organisationId ? { organisationId } : {}) },
        before: { status: before },
        after: { status: input.outcome, evidence: input.evidence },
      }
    },
  }),
  bookTreasury: operatorCommand({
    rest: 'POST /admin/ops/cngn/treasury/book',
    tag: TAG,
    summary: 'Book a difference between treasury and journal',
    description:
      'As your own loss or gain: no balance of a customer changes, and the next comparisons leave it out. What was held back for it can be sent again.',
    message: 'Difference booked',
    input: TreasuryBooking,
    output: BookedTreasury,
    errors: [errors.cngn_difference_other, commonErrors.second_operator_required],
    money: true,
    async run(unit, { environment, amount: text, evidence }) {
      const negative = text.startsWith('-')
      const units = minorAmount(negative ? text.slice(1) : text, CNGN)
      const amount = negative ? -units : units
      await requireSecondOperator(unit, assets.cNGN, amount)
      const { id, before, left } = await bookDifference(unit, { environment, amount, evidence })
      return {
        reply: { environment, difference: decimal(left, CNGN) },
        subject: { id, environment },
        before: { difference: decimal(before, CNGN) },
        after: { difference: decimal(left, CNGN), evidence },
      }
    },
  }),
  treasury: query({
    rest: 'GET /admin/ops/cngn/treasury',
    access: 'operator',
    tag: TAG,
    summary: 'Get the last comparison of treasury and journal',
    description:
      'It is made every minute. While `difference` is below zero, as much is held back: see `POST /admin/ops/cngn/treasury/book`.',
    message: 'Treasury retrieved',
    input: noInput,
    output: Treasuries,
    run: (context) => treasuries(context),
  }),
}
