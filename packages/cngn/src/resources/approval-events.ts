import type { UnitOfWork } from '@payments/platform'
import { emit } from '@payments/webhooks'
import type { TransferRow } from '../entity.ts'
import { presentApproval } from './present.ts'

/** Emits the event of an approval that changed with its object, in the same transaction. `before`: its status until then; null: it is new. */
export function tellApproval(unit: UnitOfWork, row: TransferRow, before: string | null): void {
  const { id: resourceId, organisationId, environment, updatedAt: at } = row
  const type = before === null ? 'payout_approval.created' : 'payout_approval.updated'
  emit(unit, {
    ...{ organisationId, environment, type, resourceId, at },
    data: { ...presentApproval(row), previousStatus: before },
  })
}
