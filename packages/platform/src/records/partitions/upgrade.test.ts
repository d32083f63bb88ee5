import { firstIdOf, newId } from '@payments/kernel'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase, pause } from '#testing'
import { migrate } from '../../database/migrate.ts'
import type { Domain } from '../../domain/domain.ts'
import { platform } from '../../domain/platform.ts'
import { createLog } from '../../settings/log.ts'
import { countProblems } from '../counts.ts'
import { countedRequests } from '../request-log/entity.ts'

const PARTITIONED = '20261127100000'
const steps = platform.data?.migrations ?? []
const before: Domain = {
  ...platform,
  data: { ...platform.data, migrations: steps.filter(({ name }) => name < PARTITIONED) },
}
const interrupted = steps.find(({ name }) => name.startsWith(PARTITIONED))?.up ?? []
const log = createLog('silent')

/** A database of the release before, with its requests. */
async function ofBefore() {
  const database = await freshDatabase()
  onTestFinished(() => database.drop())
  const open = async (connectionString: string) => {
    const client = new Client({ connectionString })
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }
  const owner = await open(database.ownerUrl)
  await owner.query('drop schema public cascade; drop schema pgboss cascade; create schema public')
  await owner.query('grant usage on schema public to public')
  await migrate(database.ownerUrl, database.serviceUrl, [before], log)
  const update = () => migrate(database.ownerUrl, database.serviceUrl, [platform], log)
  return { owner, service: await open(database.serviceUrl), update }
}

const organisationId = newId()
const write = (client: Client, id = newId()) =>
  client.query({
    name: 'request-log',
    text: `insert into request_log (id, organisation_id, environment, method, path, status, duration_ms, request_id, replayed, created_at)
      values ($1, $2, 'test', 'GET', '/v1/customers', 200, 1, 'r', false, now()) on conflict do nothing`,
    values: [id, organisationId],
  })
const placesOf = async (client: Client): Promise<Record<string, number>> => {
  const { rows } = await client.query<{ name: string; count: number }>(
    'select tableoid::regclass::text as name, count(*)::int as count from request_log group by 1',
  )
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

test('while a database of the release before is updated, its gateways go on writing, and no request is lost or counted twice', async () => {
  const { owner, service, update } = await ofBefore()
  await service.query(
    `insert into request_log (id, organisation_id, environment, method, path, status, duration_ms, request_id, replayed, created_at)
     select $1::uuid, $2, 'test', 'GET', '/v1/customers', 200, 1, 'r', false, now()`,
    [newId(), organisationId],
  )
  let written = 1
  let updating = true
  let longest = 0
  const gateway = async () => {
    while (updating) {
      const started = performance.now()
      await write(service)
      written++
      longest = Math.max(longest, performance.now() - started)
      await pause(1)
    }
  }
  const writing = gateway()
  await update()
  updating = false
  await writing
  expect(longest).toBeLessThan(1000)
  expect(await placesOf(owner)).toEqual({ request_log_before: written })
  expect(await countProblems(owner, 'request_log', countedRequests)).toEqual([])
  const { rows } = await owner.query<{ count: number }>(
    "select count(*)::int from pg_inherits where inhparent = 'request_log'::regclass",
  )
  expect(rows).toEqual([{ count: 6 }])
  await update()
})

test.each(interrupted.map((_, n) => n + 1))(
  'an update that was interrupted after statement %i of the check is run again',
  async (count) => {
    const { owner, service, update } = await ofBefore()
    await write(service)
    for (const statement of interrupted.slice(0, count)) await owner.query(statement)
    await write(service)
    await update()
    await write(service)
    expect(await placesOf(owner)).toEqual({ request_log_before: 3 })
    expect(await countProblems(owner, 'request_log', countedRequests)).toEqual([])
  },
)

test('a request whose id is of a later time, because a clock was wrong, gets one of its own time', async () => {
  const { owner, service, update } = await ofBefore()
  const later = `${firstIdOf(new Date('2090-01-01')).slice(0, 24)}aaaaaaaaaaaa`
  await write(service, later)
  await update()
  const { rows } = await owner.query<{ id: string; early: boolean }>(
    "select id, id <= first_id_of(created_at + interval '1 ms') as early from request_log_before",
  )
  expect(rows).toEqual([{ id: expect.stringMatching(/-7000-8000-aaaaaaaaaaaa$/), early: true }])
})
