import { newId } from '@payments/kernel'
import type { TestService } from '#testing'

/** Writes endpoints straight into the tables: more than an organisation may register, as an older release could have left them. */
export async function manyEndpoints(
  service: TestService,
  { organisationId, environment }: { organisationId: string; environment: string },
  count: number,
  url: string,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId())
  const secret = service.runtime.keyring.encrypt('whsec_test', 'test')
  await service.runtime.pool.query(
    `insert into webhook_endpoints (id, organisation_id, environment, url, status, secret, created_at, updated_at)
     select id, $2, $3, $4, 'enabled', $5, now(), now() from unnest($1::uuid[]) as e (id)`,
    [ids, organisationId, environment, url, secret],
  )
  await service.runtime.pool.query(
    `insert into webhook_queues (endpoint_id, organisation_id, environment, slots)
     select id, $2, $3, 5 from unnest($1::uuid[]) as e (id)`,
    [ids, organisationId, environment],
  )
  return ids
}
