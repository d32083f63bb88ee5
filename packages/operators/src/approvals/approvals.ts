import { emailOperators } from '@payments/accounts'
import { isId, newId } from '@payments/kernel'
import {
  type CallContext,
  domainsOf,
  type Effect,
  observed,
  type QueryContext,
  rowsAndTotal,
  sqlOf,
  type UnitOfWork,
} from '@payments/platform'
import type { z } from 'zod'
import { ApprovalEntity, type ApprovalRow } from '../entity.ts'
import { errors } from '../errors.ts'
import type { Approval, ApprovalFilter, ApprovalList } from '../schemas.ts'
import { type Commands, commandOf, lasting } from './commands.ts'

const VALID_MS = 24 * 3_600_000
const SHOWN = 200

export const present = (row: ApprovalRow): z.input<typeof Approval> => ({
  id: row.id,
  status: row.status === 'pending' && row.expiresAt.getTime() <= Date.now() ? 'expired' : row.status,
  command: row.command,
  input: row.input,
  effects: [...row.effects] as z.input<typeof Approval>['effects'],
  reason: row.reason,
  requestedBy: row.requestedBy,
  requestedByEmail: row.requestedByEmail ?? null,
  decidedByEmail: row.decidedByEmail ?? null,
  expiresAt: row.expiresAt.toISOString(),
  createdAt: row.createdAt.toISOString(),
})

export async function listApprovals(
  { em }: QueryContext,
  { status }: z.output<typeof ApprovalFilter>,
): Promise<z.input<typeof ApprovalList>> {
  const found = await em.findAndCount(ApprovalEntity, status ? { status } : {}, {
    orderBy: { createdAt: 'desc', id: 'desc' },
    limit: SHOWN,
    disableIdentityMap: true,
  })
  const { rows, total } = rowsAndTotal(found)
  return { approvals: rows.map(present), total }
}

/** Keeps a command with its input and effects until another operator approves it, for a day, and emails the others. */
export async function requestApproval(
  unit: UnitOfWork,
  request: Pick<ApprovalRow, 'command' | 'input' | 'effects' | 'reason'>,
): Promise<ApprovalRow> {
  const now = new Date()
  const row: ApprovalRow = {
    ...request,
    id: newId(),
    status: 'pending',
    requestedBy: unit.actor.userId as string,
    requestedByEmail: unit.actor.email ?? null,
    decidedBy: null,
    decidedByEmail: null,
    expiresAt: new Date(now.getTime() + VALID_MS),
    createdAt: now,
    updatedAt: now,
  } as ApprovalRow
  unit.insert(ApprovalEntity, row)
  await emailOperators(unit, {
    command: row.command,
    by: row.requestedByEmail ?? null,
    reason: row.reason,
    effects: (row.effects as readonly Effect[]).filter(({ kind }) => kind !== 'approval').map(({ summary }) => summary),
    until: row.expiresAt,
  })
  return row
}

/** @throws approval_not_found 404, approval_ended 409 */
async function pending(unit: UnitOfWork, id: string): Promise<ApprovalRow> {
  if (!isId(id)) throw errors.approval_not_found()
  await sqlOf(unit.em).query('select from operator_approvals where id = $1 for update', [id])
  const row = await unit.em.findOne(ApprovalEntity, { id }, { disableIdentityMap: true })
  if (!row) throw errors.approval_not_found()
  if (present(row).status !== 'pending') throw errors.approval_ended()
  return row
}

async function isOperator(unit: UnitOfWork, userId: string): Promise<boolean> {
  const authentication = domainsOf(unit.runtime).find(({ api }) => api?.authentication)?.api?.authentication
  return authentication ? authentication.isOperator(unit, userId) : false
}

async function decide(unit: UnitOfWork, row: ApprovalRow, status: 'approved' | 'declined'): Promise<ApprovalRow> {
  const { userId = null, email = null } = unit.actor
  const changes = { status, decidedBy: userId, decidedByEmail: email, updatedAt: new Date() }
  await unit.em.nativeUpdate(ApprovalEntity, { id: row.id }, changes)
  return { ...row, ...changes }
}

/** Does a command do what was shown? The need for an approval is no effect, and the order of effects does not count. */
function sameEffects(shown: readonly object[], done: readonly Effect[]): boolean {
  const texts = (effects: readonly object[]) =>
    (effects as readonly Effect[])
      .filter(({ kind }) => kind !== 'approval')
      .map(({ kind, resourceId, summary }) => JSON.stringify([kind, resourceId, summary]))
      .sort()
  return JSON.stringify(texts(shown)) === JSON.stringify(texts(done))
}

/**
 * Runs a command that another operator requested, in the transaction that marks the request as approved: it runs once, and only
 * with the effects that the request shows. An object that changed since then is a new request.
 * @throws approval_not_found 404, approval_ended 409, approval_own 403, approval_requester_left 409, approval_effects_changed 409,
 *   and what the command throws
 */
export async function approve(
  unit: UnitOfWork,
  commands: Commands,
  id: string,
  call: CallContext,
): Promise<ApprovalRow> {
  const row = await pending(unit, id)
  if (row.requestedBy === unit.actor.userId) throw errors.approval_own()
  if (!(await isOperator(unit, row.requestedBy))) throw errors.approval_requester_left()
  const { run } = commandOf(commands, row)
  const began = newId()
  const effects: Effect[] = []
  await run({ ...observed(unit, effects), requestedBy: row.requestedBy }, undefined, call)
  // A dry run of the approval has heard of the changes already, when they were recorded.
  unit.effects?.push(...effects.filter(({ kind }) => kind === 'posting'))
  if (!sameEffects(row.effects, lasting(effects, began))) throw errors.approval_effects_changed()
  return decide(unit, row, 'approved')
}

/** @throws approval_not_found 404, approval_ended 409 */
export const decline = async (unit: UnitOfWork, id: string): Promise<ApprovalRow> =>
  decide(unit, await pending(unit, id), 'declined')
