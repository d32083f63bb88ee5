import { errors as commonErrors, requireRole } from '@payments/kernel'
import type { QueryContext } from '@payments/platform'
import { SessionEntity } from './entity.ts'

/** How long a confirmation counts, ms. */
export const CONFIRMED_MS = 600_000

/**
 * Requires that the user proved the email address for this session within the last 10 minutes: by signing in, or by a fresh
 * code. Keys and the service itself are not concerned: what needs a session says so in its access.
 * @throws ServiceError 403 when the session must be confirmed first, or for an internal token, which nobody can confirm.
 */
export async function requireConfirmed({ em, actor }: QueryContext): Promise<void> {
  if (actor.kind === 'token') throw commonErrors.session_required()
  if (actor.kind !== 'session') return
  const session = await em.findOne(SessionEntity, { id: actor.sessionId as string }, { fields: ['confirmedAt'] })
  const at = session?.confirmedAt?.getTime() ?? 0
  if (Date.now() - at >= CONFIRMED_MS) throw commonErrors.confirmation_required()
}

/**
 * Requires an owner with a confirmed session, for what a stolen key or an old session must not do. The service itself passes.
 * @throws ServiceError 403 that names what is missing.
 */
export async function requireConfirmedOwner(context: QueryContext): Promise<void> {
  const { actor } = context
  if (actor.kind === 'system') return
  if (actor.kind !== 'session') throw commonErrors.session_required()
  requireRole('owner', actor)
  await requireConfirmed(context)
}
