import { emailApprovers } from '@payments/accounts'
import { amountText, environments, system } from '@payments/kernel'
import { needsApproval } from '@payments/ledger'
import { job, queryContext, sqlOf, type UnitOfWork, unitOfWork } from '@payments/platform'
import { z } from 'zod'
import type { TransferRow } from '../entity.ts'
import { CNGN, kinds } from '../kinds/kinds.ts'
import { queueSend } from '../movements/sends/send.ts'
import { entryOf } from '../resources/ledger-entry.ts'
import { fail, lockedTransfer } from '../resources/transfers.ts'

/** How long an approval is waited for. */
const VALID_MS = 72 * 3_600_000

/** The columns of money out that a second person must approve. */
export type Approval = Pick<TransferRow, 'approvalStatus' | 'approvalRequestedBy' | 'approvalExpiresAt'>

/**
 * What new money out says of its approval; undefined: nobody has to approve it. Called between `countPayout` and the reserve. A key has no
 * person, so any owner or finance member may answer what a key asks.
 */
export async function approvalOf(unit: UnitOfWork, amount: bigint): Promise<Approval | undefined> {
  if (!(await needsApproval(unit, { asset: CNGN, amount }))) return undefined
  const { kind, userId = null } = unit.actor
  return {
    approvalStatus: 'waiting',
    approvalRequestedBy: kind === 'session' ? userId : null,
    approvalExpiresAt: new Date(Date.now() + VALID_MS),
  }
}

/** Queues the order of new money out or, if a second person must approve it, emails to those who may and its expiry: nothing is sent before. */
export async function sendOrWait(unit: UnitOfWork, row: TransferRow): Promise<void> {
  const { id, kind, organisationId, environment, approvalStatus, approvalExpiresAt } = row
  if (approvalStatus !== 'waiting' || !approvalExpiresAt) return queueSend(unit, row)
  const entry = entryOf(row)
  await emailApprovers(unit, {
    ...{ what: kind, amount: amountText(entry), destination: entry.destination },
    ...{
      requestedBy: row.approvalRequestedBy ?? null,
      by: row.approvalRequestedBy ? (unit.actor.email ?? null) : null,
    },
    ...{ until: approvalExpiresAt, path: `/cngn/${kind}s/${id}` },
  })
  await unit.enqueue(expireApproval, { id, kind, organisationId, environment }, { startAfter: approvalExpiresAt })
}

const Waiting = z.strictObject({
  id: z.uuid(),
  kind: z.enum(kinds),
  organisationId: z.uuid(),
  environment: z.enum(environments),
})

/** Ends money out that nobody approved in time. It does nothing when it was answered or has ended: the object's lock decides. */
export const expireApproval = job({
  name: 'cngn.expire-approval',
  data: Waiting,
  queue: { retryLimit: 20, retryDelay: 5, retryBackoff: true },
  async run(runtime, { id, kind, organisationId, environment }) {
    await unitOfWork(queryContext(runtime, system(organisationId, environment)), async (unit) => {
      const row = await lockedTransfer(unit, kind, id)
      if (row.approvalStatus !== 'waiting') return
      const { rows } = await sqlOf(unit.em).query<{ due: boolean }>(
        'select $1::timestamptz <= clock_timestamp() as due',
        [row.approvalExpiresAt],
      )
      if (!rows[0]?.due) throw new Error('The approval has not expired yet')
      await fail(unit, row, 'approval_expired', { approvalStatus: 'expired' })
    })
  },
})
