import { emailApprovers } from '@payments/accounts'
import { type Environment, shownAmount, system } from '@payments/kernel'
import { needsApproval } from '@payments/ledger'
import { job, queryContext, sqlOf, type UnitOfWork, unitOfWork } from '@payments/platform'
import { z } from 'zod'
import type { TransferRow } from '../entity.ts'
import { CNGN, type Kind } from '../kinds/kinds.ts'
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

/** Queues the order of new money out or, if a second person must approve it, emails to those who may: nothing is sent before. */
export async function sendOrWait(unit: UnitOfWork, row: TransferRow): Promise<void> {
  const { id, kind, approvalStatus, approvalExpiresAt } = row
  if (approvalStatus !== 'waiting' || !approvalExpiresAt) return queueSend(unit, row)
  const entry = entryOf(row)
  await emailApprovers(unit, {
    ...{ what: kind, amount: shownAmount(entry), destination: entry.destination },
    ...{
      requestedBy: row.approvalRequestedBy ?? null,
      by: row.approvalRequestedBy ? (unit.actor.email ?? null) : null,
    },
    ...{ until: approvalExpiresAt, path: `/cngn/${kind}s/${id}` },
  })
}

/** SQL: money out that waits for a second person, without what a restored database may have forgotten to have sent: see `doubtWaiting`. */
const WAITING = `from cngn_transfers t where approval_status = 'waiting' and not exists (select from cngn_sends s where s.id = t.id)`

/** Ends money out that nobody approved in time, each in a transaction of its own. The object's lock decides between it and an answer. */
export const expireApprovals = job({
  name: 'cngn.expire-approval',
  // What a release before queued has the id of one object.
  data: z.object({}),
  schedule: { everyMinutes: 1 },
  due: `select approval_expires_at ${WAITING} order by approval_expires_at limit 1`,
  queue: { expireInSeconds: 600 },
  async run(runtime) {
    const { rows } = await runtime.pool.query<{
      id: string
      kind: Kind
      organisation_id: string
      environment: Environment
    }>(
      `select id, kind, organisation_id, environment ${WAITING} and approval_expires_at <= now() order by approval_expires_at limit 500`,
    )
    for (const { id, kind, organisation_id, environment } of rows)
      try {
        await unitOfWork(queryContext(runtime, system(organisation_id, environment)), async (unit) => {
          const row = await lockedTransfer(unit, kind, id)
          if (row.approvalStatus === 'waiting') await fail(unit, row, 'approval_expired', { approvalStatus: 'expired' })
        })
      } catch (error) {
        // It holds up no other, and is tried again with the next run.
        if (runtime.database.report(error)) throw error
        runtime.log.error({ err: error, transfer: id }, 'approval could not expire')
      }
  },
})

/** The sandbox clock: approvals expire sooner, and those that are due now, at once. */
export async function advanceApprovals(unit: UnitOfWork, seconds: number): Promise<void> {
  const { rows } = await sqlOf(unit.em).query(
    `update cngn_transfers set approval_expires_at = approval_expires_at - make_interval(secs => $2)
      where organisation_id = $1 and environment = 'test' and approval_status = 'waiting' returning 1`,
    [unit.actor.organisationId, seconds],
  )
  if (rows.length > 0) await unit.enqueue(expireApprovals, {})
}
