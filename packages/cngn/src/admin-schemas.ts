import { CustomerRef } from '@payments/customers'
import { createdAt, environments, id, items, pathId, text, time, total, updatedAt } from '@payments/kernel'
import { z } from 'zod'
import { EXAMPLES, units } from './kinds/fields.ts'
import { kinds } from './kinds/kinds.ts'

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
    providerOutcome: text('`unknown`: the provider does not report the outcome', 'unknown').nullable(),
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

const Evidence = text(
  'Where you know it from: a statement, a transaction, a ticket',
  'Statement of 31 January, line 14',
)
  .min(1)
  .max(500)
const Amount = z.string().trim().min(1).max(40)

export const Settlement = TransferId.extend({
  outcome: z.enum(['completed', 'failed']).meta({
    description: '`completed`: the money arrived, or was delivered. `failed`: it did not, or came back',
    example: 'completed',
  }),
  amount: Amount.optional().meta({
    description:
      'Money in: what arrived. Money out: what was delivered (the rest is the fee; of a convert, in its other currency) or, with `failed`, what came back (the rest was kept). Default: all of it',
    example: '25000',
  }),
  reference: text('The provider’s reference. Required for money in that no report has shown', 'RD-3e7a91cf')
    .max(128)
    .optional(),
  txHash: text('Transaction of the delivery or the return, where it was one', `0x${'4'.repeat(64)}`)
    .max(128)
    .optional(),
  evidence: Evidence,
})

const ReceiptId = z.strictObject({ receiptId: pathId('transfer in suspense', RECEIPT) })
export const AssignReceipt = ReceiptId.extend({ organisationId: id('organisation', 1), customerId: CustomerRef })
export const SettleReceipt = ReceiptId.extend({
  outcome: z.enum(['returned', 'resolved']).meta({
    description:
      '`returned`: the provider sent it back, or it was never a customer’s. `resolved`: an entry of the ledger moved it out of suspense',
    example: 'returned',
  }),
  evidence: Evidence,
})
export const SettledReceipt = z.object({
  id: id('transfer in suspense', RECEIPT),
  status: text('Outcome', 'returned'),
})
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

export const TreasuryBooking = z.strictObject({
  environment,
  amount: Amount.regex(/^-?\d+(\.\d+)?$/).meta({
    description: 'The part of the difference that is your own loss (below zero) or gain, in cNGN',
    example: '-50',
  }),
  evidence: Evidence,
})
export const BookedTreasury = z.object({ environment, difference: units('What is left of the difference', '0') })
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
