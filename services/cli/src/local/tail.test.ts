import { expect, onTestFinished, test } from 'vitest'
import { createKeyFor, newMerchant, requestsLogged, startFaultyProxy, useArtefact } from '#testing'
import { person } from '../../test/cli.ts'

const service = useArtefact()

async function merchant(url = service.url) {
  const { key, call, organisationId } = await newMerchant(service)
  const own = person({ PAYMENTS_URL: url, PAYMENTS_API_KEY: key })
  let n = 0
  const create = () =>
    call('POST /v1/customers', { body: { name: 'Ada Obi', email: `ada${n++}@example.com` } }).then(
      ({ data }) => data.id,
    )
  return { ...own, call, create, organisationId, key }
}
const lines = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
type Tail = ReturnType<ReturnType<typeof person>['start']>
const ready = ({ printed }: Tail) => expect.poll(() => printed.err, { timeout: 15_000 }).toContain('Ready')
const printed = ({ printed: { out } }: Tail) => lines(out)

test('requests are printed once each, in their order, with those of before and without the reading itself', async () => {
  const { start, create, call, organisationId } = await merchant()
  const before = [await create(), await create()]
  await requestsLogged(service, { organisationId }, '/v1/customers', 2)
  const tail = start('logs', 'tail', '--last', '1', '--json')
  await ready(tail)
  const after = [await create(), await create()]
  await call('GET /v1/customers/none')
  await expect.poll(() => printed(tail).length, { timeout: 15_000 }).toBe(4)
  tail.stop()
  const { code } = await tail.ended
  expect(code).toBe(130)
  expect(printed(tail).map(({ resourceId }) => resourceId)).toEqual([before[1], ...after, null])
  expect(printed(tail).at(-1)).toMatchObject({ status: 404, method: 'GET', path: '/v1/customers/{customerId}' })
})

test('status, method and path choose what is printed; a status that cannot be read is refused', async () => {
  const { start, run, create, call } = await merchant()
  const tails = [
    ['--status', '4xx'],
    ['--status', '200-299', '--method', 'post'],
    ['--path', '/v1/customers/'],
    ['--status', '201,4xx'],
  ].map((filter) => start('logs', 'tail', '--last', '0', ...filter))
  for (const tail of tails) await ready(tail)
  const id = await create()
  await call(`GET /v1/customers/${id}`)
  await call('POST /v1/customers', { body: {} })
  const expected = [
    [/422 {2}POST {3}\/v1\/customers .*validation_failed$/],
    [/201 {2}POST {3}\/v1\/customers /],
    [/200 {2}GET {4}\/v1\/customers\/\{customerId\} /],
    [/201 {2}POST {3}\/v1\/customers /, /422 {2}POST {3}\/v1\/customers .*validation_failed$/],
  ]
  for (const [index, tail] of tails.entries()) {
    await expect.poll(() => tail.printed.out, { timeout: 15_000 }).not.toBe('')
    tail.stop()
    const rows = (await tail.ended).out.trim().split('\n')
    expect(rows).toHaveLength(expected[index]?.length ?? 0)
    for (const [row, text] of rows.entries()) expect(text).toMatch(expected[index]?.[row] ?? /never/)
  }
  for (const wrong of ['bad', '404,bad', '404,'])
    expect(await run('logs', 'tail', '--status', wrong)).toMatchObject({
      code: 2,
      err: expect.stringContaining('4xx'),
    })
})

test('after a lost network it goes on where it was and leaves out none, however many there were', {
  timeout: 120_000,
}, async () => {
  let isCut = false
  const proxy = await startFaultyProxy({
    upstream: service.url,
    slowMs: 0,
    choose: () => (isCut ? 'cut-before' : 'none'),
  })
  onTestFinished(() => proxy.close())
  const { start, create, organisationId } = await merchant(proxy.url)
  const tail = start('logs', 'tail', '--json')
  await ready(tail)
  const first = await create()
  await expect.poll(() => printed(tail).length, { timeout: 15_000 }).toBe(1)
  isCut = true
  await expect.poll(() => tail.printed.err, { timeout: 30_000 }).toContain('Connection lost')
  await service.runtime.pool.query(
    `insert into request_log (id, organisation_id, environment, method, path, status, duration_ms, request_id, replayed, created_at)
     select gen_random_uuid(), $1, 'test', 'GET', '/v1/customers', 200, 1, 'r' || n, false, now() + make_interval(secs => n * 0.001)
       from generate_series(1, 900) n`,
    [organisationId],
  )
  const last = await create()
  isCut = false
  await expect.poll(() => printed(tail).length, { timeout: 60_000 }).toBe(902)
  expect(tail.printed.err.match(/Connection lost/g)).toHaveLength(1)
  expect(tail.printed.err).toContain('Connected again')
  tail.stop()
  await tail.ended
  const all = printed(tail)
  expect(new Set(all.map(({ id }) => id)).size).toBe(902)
  expect(all[0].resourceId).toBe(first)
  expect(all.map(({ resourceId }) => resourceId)).toContain(last)
})

test('the key decides on the environment, and a revoked key ends it with the exit code of credentials', async () => {
  const { organisationId, create } = await merchant()
  const key = await createKeyFor(service.runtime, { organisationId, environment: 'live', scopes: ['api:read'] })
  const own = person({ PAYMENTS_URL: service.url, PAYMENTS_API_KEY: key })
  await create()
  const tail = own.start('logs', 'tail', '--json')
  await ready(tail)
  await own.run('customers', 'get', 'none')
  await expect.poll(() => printed(tail).length, { timeout: 15_000 }).toBe(1)
  expect(printed(tail)).toMatchObject([{ method: 'GET', status: 404 }])
  await service.runtime.pool.query('update api_keys set revoked_at = now() where organisation_id = $1', [
    organisationId,
  ])
  expect((await tail.ended).code).toBe(3)
})
