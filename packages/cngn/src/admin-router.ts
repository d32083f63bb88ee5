import { assets } from '@payments/kernel'
import { actingFor, operatorCommand, query, requireSecondOperator } from '@payments/platform'
import { assign, findAnywhere, suspense, treasuries, unfinished } from './admin.ts'
import {
  AdminTransferStatus,
  AdminTransfers,
  AssignedReceipt,
  AssignReceipt,
  Suspense,
  TransferId,
  Treasuries,
} from './admin-schemas.ts'
import { errors } from './errors.ts'

import { pollFeedSoon } from './schedule.ts'
import { Nothing } from './schemas.ts'
import { TAG } from './transfer-router.ts'
import { lockedTransfer, update } from './transfers.ts'

/** Operator operations on cNGN of any organisation. */
export const cngnAdminRouter = {
  transfers: query({
    rest: 'GET /admin/ops/cngn/transfers',
    access: 'operator',
    tag: TAG,
    summary: 'List cNGN objects in flight and those that need attention',
    description:
      'Objects of all organisations. `attention`: `contradicting_report` (the provider reported a failure after the end), `money_with_provider` (a conversion that was neither delivered nor sent back). At most 200; `total` counts all.',
    message: 'Objects retrieved',
    input: Nothing,
    output: AdminTransfers,
    run: (context) => unfinished(context),
  }),
  sync: operatorCommand({
    rest: 'POST /admin/ops/cngn/transfers/{transferId}/sync',
    tag: TAG,
    summary: 'Read the provider’s list for a cNGN object now',
    description:
      'At once instead of at the next poll, which happens by itself. It uses the rate budget of the provider.',
    message: 'Sync started',
    input: TransferId,
    output: AdminTransferStatus,
    errors: [errors.cngn_transfer_not_found],
    async run(unit, { transferId }) {
      const { id, kind, status, organisationId, environment, account } = await findAnywhere(unit, transferId)
      unit.afterCommit(() => {
        pollFeedSoon(unit.runtime, environment, account, true).catch((error: unknown) =>
          unit.log.warn({ err: error }, 'sync failed'),
        )
      })
      return { reply: { id, kind, status }, subject: { id, organisationId, environment } }
    },
  }),
  resolve: operatorCommand({
    rest: 'POST /admin/ops/cngn/transfers/{transferId}/resolve',
    tag: TAG,
    summary: 'Mark a cNGN object as dealt with',
    description: 'Removes `attention`. Balances stay.',
    message: 'Object resolved',
    input: TransferId,
    output: AdminTransferStatus,
    errors: [errors.cngn_transfer_not_found],
    async run(unit, { transferId }) {
      const found = await findAnywhere(unit, transferId)
      const own = actingFor(unit, found)
      const row = await lockedTransfer(own, found.kind, found.id)
      if (row.attention) await update(own, row, { attention: null })
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
    input: Nothing,
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
    errors: [errors.cngn_receipt_not_found, errors.cngn_receipt_assigned, errors.cngn_not_enabled],
    money: true,
    async run(unit, input) {
      const { id, status, amount, organisationId, environment } = await assign(unit, input)
      requireSecondOperator(unit, assets.cNGN, amount ?? 0n)
      return { reply: { id, status }, subject: { id, organisationId, environment } }
    },
  }),
  treasury: query({
    rest: 'GET /admin/ops/cngn/treasury',
    access: 'operator',
    tag: TAG,
    summary: 'Get the last comparison of treasury and journal',
    description: 'It is made every minute. While `difference` is below zero, no money is sent.',
    message: 'Treasury retrieved',
    input: Nothing,
    output: Treasuries,
    run: (context) => treasuries(context),
  }),
}
