import { CustomerRef } from '@payments/customers'
import { createdAt, environments, id, items, pathId, text, time, total, updatedAt } from '@payments/kernel'
import { z } from 'zod'
import { EXAMPLES, units } from './fields.ts'
import { kinds } from './kinds.ts'

const RECEIPT = 95
const environment = z.enum(environments).meta({ description: 'Environment' })

export const TransferId = z.strictObject({ transferId: pathId('cNGN object', EXAMPLES.payout) })

const AdminTransfer = z
  .object({
    id: id('cNGN object', EXAMPLES.payout),
    kind: z.enum(kinds).meta({ description: 'Kind of the object' }),
    organisationId: id('organisation', 1),
    environment,
    customerId: CustomerRef,
    status: text('State of the object', 'processing'),
    failureReason: text('Why it failed', 'payout_failed').nullable(),
    providerReference: text('The provider’s reference', 'c3f7e2d0-9d2b-4c43-8a40-6c2b3a0c1f11').nullable(),
    providerOutcome: text('`unknown`: the provider does not say what became of it', 'unknown').nullable(),
    attention: text('Why it needs an operator', 'contradicting_report').nullable(),
    attempts: z.number().int().meta({ description: 'How often it was claimed for sending', example: 1 }),
    sentAt: time('When it was last claimed for sending').nullable(),
    error: text('Why the last attempt failed', 'cngn_provider_unavailable').nullable(),
    createdAt,
    updatedAt,
  })
  .meta({ id: 'AdminCngnTransfer', description: 'A cNGN object of any organisation' })
export const AdminTransfers = z.object({
  transfers: items('The objects, those that need attention first', AdminTransfer),
  total,
})
export const AdminTransferStatus = z.object({
  id: id('cNGN object', EXAMPLES.payout),
  kind: z.enum(kinds).meta({ description: 'Kind of the object' }),
  status: text('State of the object', 'processing'),
})

const ReceiptId = z.strictObject({ receiptId: pathId('transfer in suspense', RECEIPT) })
export const AssignReceipt = ReceiptId.extend({ organisationId: id('organisation', 1), customerId: CustomerRef })
export const Suspense = z.object({
  receipts: items(
    'Transfers that belong to no payin, oldest first',
    z
      .object({
        id: id('transfer in suspense', RECEIPT),
        environment,
        organisationId: id('organisation, if it is known', 1).nullable(),
        reference: text('The provider’s reference', 'c3f7e2d0-9d2b-4c43-8a40-6c2b3a0c1f11'),
        asset: text('What arrived', 'cNGN'),
        amount: units('How much', '25000'),
        targets: items('References, account numbers and addresses that came with it', z.string()),
        receivedAt: time('When it arrived'),
      })
      .meta({ id: 'CngnSuspense', description: 'Money that arrived and belongs to no object' }),
  ),
  total,
})
export const AssignedReceipt = z.object({ id: id('payin', EXAMPLES.payin), status: text('State', 'completed') })

export const Treasuries = z.object({
  treasuries: items(
    'One for each environment that was compared',
    z
      .object({
        environment,
        balance: units('cNGN at the provider', '1000000'),
        journal: units('cNGN that the journal holds for customers and in suspense', '1000000'),
        leaving: units('Of these, sent or being sent', '0'),
        arriving: units('What arrived and is not in the journal yet', '0'),
        difference: units('What the provider has too much or, below zero, too little', '0'),
        differsSince: time('Since when there is a difference').nullable(),
        checkedAt: time('When it was compared'),
      })
      .meta({ id: 'CngnTreasury', description: 'The treasury compared with the journal' }),
  ),
})
