import type { Environment } from '@payments/kernel'
import { type Holding, type QueryContext, sqlOf } from '@payments/platform'

/** The webhook endpoints of an organisation: those that fail first, with since when. */
export async function holdings({ em }: QueryContext, organisationId: string): Promise<readonly Holding[]> {
  const { rows } = await sqlOf(em).query<{
    id: string
    environment: Environment
    url: string
    status: string
    since: Date | string | null
  }>(
    `select e.id, e.environment, e.url, q.failing_since as since,
            case when e.status = 'enabled' and q.failing_since is not null then 'failing' else e.status end as status
       from webhook_endpoints e left join webhook_queues q on q.endpoint_id = e.id
      where e.organisation_id = $1 and e.environment = any ('{test,live}') and e.status <> 'revoked'
      order by q.failing_since nulls last, e.created_at, e.id`,
    [organisationId],
  )
  return rows.map(({ id, environment, url, status, since }) => ({
    ...{ group: 'endpoint', environment, kind: 'webhook_endpoint', status, count: 1, amount: null },
    object: { id, name: url, since: since && new Date(since).toISOString() },
  }))
}
