import { expect } from 'vitest'
import type { Merchant } from '../../src/index.ts'
import type { TestArtefact } from '../service/artefact.ts'

/** Waits until the log of a merchant has as many requests to a path: a process writes it about once a second. */
export const requestsLogged = (
  { runtime }: Pick<TestArtefact, 'runtime'>,
  { organisationId }: Pick<Merchant, 'organisationId'>,
  path: string,
  count: number,
): Promise<void> =>
  expect
    .poll(async () => {
      const { rows } = await runtime.pool.query<{ count: number }>(
        'select count(*)::int as count from request_log where organisation_id = $1 and path like $2',
        [organisationId, path],
      )
      return rows[0]?.count
    })
    .toBe(count)
