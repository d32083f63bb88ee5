import type { Environment } from '@payments/kernel'
import { type Holding, type OperatorsDeclaration, type QueryContext, sqlOf } from '@payments/platform'

/** Who and what may act for an organisation now: its API keys by environment, and the sessions in it. */
async function holdings({ em }: QueryContext, organisationId: string): Promise<readonly Holding[]> {
  const { rows } = await sqlOf(em).query<{ environment: Environment | null; kind: string; count: number }>(
    `select environment, 'api_key' as kind, count(*)::int as count from api_keys
      where organisation_id = $1 and revoked_at is null and (expires_at is null or expires_at > now()) group by 1
      union all
     select null, 'session', count(*)::int from sessions
      where organisation_id = $1 and revoked_at is null and expires_at > now() having count(*) > 0
      order by 2, 1`,
    [organisationId],
  )
  return rows.map((row) => ({ ...row, group: 'access', status: 'active', amount: null, object: null }))
}

/** Users are found by their address, in each organisation to which they belong; the page of an organisation shows what may act for it. */
export const operators: OperatorsDeclaration = {
  holdings,
  search: [
    {
      kind: 'user',
      from: `(select u.id, u.email, m.organisation_id, null::text as environment from users u join memberships m on m.user_id = u.id) as member`,
      by: { email: 'email' },
    },
  ],
}
