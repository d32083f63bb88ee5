import type { ForgottenTime, RestoreDeclaration, SqlExecutor } from '@payments/platform'
import { tellOrganisations } from './restore-notice.ts'

/** Which keys and internal tokens were revoked in the time that a restored database has forgotten: their ids, as the log has them. */
export type RevokedKeys = 'none' | 'all' | readonly string[]

/** Ends what may have been ended already: nobody stays signed in, and no code that was sent is valid. Every organisation is told. */
async function secure(db: SqlExecutor, forgotten: ForgottenTime): Promise<readonly string[]> {
  await db.query('update sessions set revoked_at = now() where revoked_at is null')
  await db.query('update challenges set used_at = now() where used_at is null')
  return ['Every session has ended: users sign in again', ...(await tellOrganisations(db, forgotten))]
}

export const restore: RestoreDeclaration = { secure }

/** Revokes keys again whose revocation was forgotten. Returns those ids that no key and no token has. */
export async function revokeForgotten(db: SqlExecutor, keys: RevokedKeys): Promise<readonly string[]> {
  if (keys === 'none') return []
  const { rows } = await db.query<{ id: string }>(
    `with keys as (update api_keys set revoked_at = coalesce(revoked_at, now()) where $1::uuid[] is null or id = any ($1) returning id),
          tokens as (update internal_tokens set revoked_at = coalesce(revoked_at, now()) where $1::uuid[] is null or id = any ($1) returning id)
     select id from keys union all select id from tokens`,
    [keys === 'all' ? null : keys],
  )
  const known = new Set(rows.map(({ id }) => id))
  return keys === 'all' ? [] : keys.filter((id) => !known.has(id))
}
