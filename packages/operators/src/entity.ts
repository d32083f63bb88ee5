import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { index } from '@payments/platform'
import { approvalStatuses } from './states.ts'

/** A command on money that one operator requested and another one approves. */
export const ApprovalEntity = defineEntity({
  name: 'Approval',
  tableName: 'operator_approvals',
  properties: {
    id: p.uuid().primary(),
    status: p.enum(approvalStatuses),
    command: p.text(),
    input: p.json().$type<Record<string, unknown>>(),
    effects: p.json().$type<readonly object[]>(),
    reason: p.text(),
    requestedBy: p.uuid(),
    requestedByEmail: p.text().nullable(),
    decidedBy: p.uuid().nullable(),
    decidedByEmail: p.text().nullable(),
    expiresAt: p.datetime(3),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [index('operator_approvals_newest', ['createdAt desc', 'id desc'])],
})
export type ApprovalRow = InferEntity<typeof ApprovalEntity>

/** What an operator has dealt with: it is not listed again until it needs one anew. */
export const ResolutionEntity = defineEntity({
  name: 'Resolution',
  tableName: 'operator_resolutions',
  properties: { kind: p.text().primary(), resourceId: p.uuid().primary(), since: p.datetime(3) },
})
