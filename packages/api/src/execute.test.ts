import { type Actor, defineErrors, newId, ServiceError, system } from '@payments/kernel'
import {
  type CallContext,
  domainsOf,
  InvalidInput,
  type Operation,
  type QueryContext,
  type Runtime,
  replaceStoredReplies,
  sqlOf,
  type UnitOfWork,
  UnreadableInput,
  unitOfWork,
} from '@payments/platform'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { foundOrganisation, useService } from '#testing'
import { createExecutor, type Executor } from './execute.ts'

const service = useService()
const { email_taken, name_taken } = defineErrors({
  email_taken: { status: 409, message: 'Email taken', constraint: 'another_key' },
  name_taken: { status: 409, message: 'Name taken', constraint: 'customers_email_key' },
})
type Command = NonNullable<Operation['command']>

const META = {
  status: 201,
  message: 'Made',
  errors: [email_taken, name_taken],
  secretReply: false,
  callsProvider: false,
  unchanging: false,
}
/** The body of a reply with this customer. */
const bodyOf = (name: string) => JSON.stringify({ status: 'success', message: 'Made', data: { name } })

const operation = (more: Partial<Operation>, meta: object = {}): Operation => ({
  input: z.object({ name: z.string().default('Ada') }),
  output: z.object({ name: z.string() }),
  meta: { ...META, ...meta } as never,
  ...more,
})

/** Inserts a customer: an effect that the database counts. */
async function insertCustomer(
  unit: UnitOfWork,
  name: string,
  email = `${newId()}@example.com`,
): Promise<{ name: string }> {
  await sqlOf(unit.em).query(
    `insert into customers (id, organisation_id, environment, name, email, metadata, parts, created_at, updated_at)
     values ($1, $2, 'test', $3, $4, '{}', '{"cngn": {"status": "not_enabled", "failureReason": null}}', now(), now())`,
    [newId(), unit.actor.organisationId, name, email],
  )
  return { name }
}
const create = (more: Partial<Command> = {}, meta: object = {}): Operation =>
  operation(
    { command: { run: (unit, { name }: { name: string }) => insertCustomer(unit, name), ...more } as Command },
    meta,
  )

/** An organisation, two processes on one database, and requests with one key. */
async function newWorld(settings: object = {}) {
  const organisationId = await foundOrganisation(service.runtime)
  const actor: Actor = { ...system(organisationId, 'test'), kind: 'key' }
  const runtime: Runtime = { ...service.runtime, settings: { ...service.runtime.settings, ...settings } }
  const key = { actor, method: 'POST', path: '/v1/things', key: newId() }
  const call: CallContext = { runtime, actor, log: runtime.log, run: () => Promise.reject(new Error('not called')) }
  const keyed = async (executor: Executor, of: Operation, input: unknown = {}, as: Partial<typeof key> = {}) => {
    const { actor: by, ...own } = { ...key, ...as }
    const { reply } = await executor.execute(of, { ...call, actor: by }, input, own)
    if (!reply) throw new Error('The operation has no reply')
    return reply
  }
  const count = async (table: string) => {
    const { rows } = await runtime.pool.query(`select count(*)::int as n from ${table} where organisation_id = $1`, [
      organisationId,
    ])
    return rows[0].n
  }
  /** Ends the lease or the retention of the key now. Returns the seconds that were left. */
  const expire = async (): Promise<number> => {
    const left = 'select extract(epoch from expires_at - now())::float8 as seconds from idempotency_keys where key = $1'
    const { rows } = await runtime.pool.query(left, [key.key])
    await runtime.pool.query(
      'update idempotency_keys set expires_at = now() - make_interval(secs => 1) where key = $1',
      [key.key],
    )
    return rows[0].seconds
  }
  return { one: createExecutor(runtime), two: createExecutor(runtime), actor, call, key, keyed, count, expire, runtime }
}
/** What a test waits for, and how to let it go on. */
function gate() {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  return { opened, open }
}
const codeOf = (reply: Promise<unknown>) =>
  reply.then(
    () => 'done',
    (error: unknown) =>
      error instanceof ServiceError ? [error.status, error.code, error.retryAfter].join(' ').trim() : String(error),
  )

test('equal requests of one process run once and have equal replies, all but the first marked as replayed', async () => {
  const { one, keyed, count } = await newWorld()
  let runs = 0
  const run = (unit: UnitOfWork, { name }: { name: string }) => insertCustomer(unit, `${name} ${++runs}`)
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, index) => keyed(one, create({ run }), { name: `n${index}` })),
  )
  expect(replies.map(({ replayed }) => replayed)).toEqual([false, ...Array(7).fill(true)])
  expect(new Set(replies.map(({ status, body }) => `${status} ${body}`))).toEqual(new Set([`201 ${bodyOf('n0 1')}`]))
  expect(await keyed(one, create(), { name: 'later' })).toEqual({
    status: 201,
    body: bodyOf('n0 1'),
    replayed: true,
  })
  expect([runs, await count('customers'), await count('idempotency_keys')]).toEqual([1, 1, 1])
})

test('equal requests of two processes have one effect, and the one that commits later replays the reply of the other', async () => {
  const { one, two, keyed, count } = await newWorld()
  const held = gate()
  const late = keyed(two, create({ before: () => held.opened }), { name: 'late' })
  expect(await keyed(one, create(), { name: 'first' })).toMatchObject({ replayed: false })
  held.open()
  expect(await late).toEqual({ status: 201, body: bodyOf('first'), replayed: true })
  expect(await count('customers')).toBe(1)
})

test('a duplicate that fails because another process has succeeded gets the reply of the success', async () => {
  const { one, two, keyed, count } = await newWorld()
  const held = gate()
  const failing = async () => {
    await held.opened
    throw new Error('a consequence of the success')
  }
  const late = keyed(two, create({ before: failing }))
  await keyed(one, create(), { name: 'first' })
  held.open()
  expect(await late).toMatchObject({ body: bodyOf('first'), replayed: true })
  expect(await count('customers')).toBe(1)
})

test('of two processes one calls the provider, and the other waits for its reply', async () => {
  const { one, two, keyed, count } = await newWorld({ IDEMPOTENCY_WAIT_SECONDS: 60 })
  let calls = 0
  const calling = create(
    {
      before: async () => {
        calls++
        await new Promise((resolve) => setTimeout(resolve, 250))
      },
    },
    { callsProvider: true },
  )
  const replies = await Promise.all(
    [one, two].map((executor, index) => keyed(executor, calling, { name: `n${index}` })),
  )
  expect(calls).toBe(1)
  expect(replies.map(({ replayed }) => replayed).sort()).toEqual([false, true])
  expect(replies[0]?.body).toBe(replies[1]?.body)
  expect(await count('customers')).toBe(1)
})

test('what a provider’s step returns is given to the command', async () => {
  const { one, keyed } = await newWorld()
  const run = (unit: UnitOfWork, _input: never, prepared: unknown) => insertCustomer(unit, String(prepared))
  const { body } = await keyed(one, create({ before: async () => 'prepared', run }, { callsProvider: true }))
  expect(body).toBe(bodyOf('prepared'))
})

test('after a provider’s step has failed its key can be used at once, by every process', async () => {
  const { one, two, keyed, count } = await newWorld()
  const failing = create({ before: () => Promise.reject(new Error('provider failed')) }, { callsProvider: true })
  expect(await codeOf(keyed(one, failing))).toBe('Error: provider failed')
  expect(await count('idempotency_keys')).toBe(0)
  expect(await keyed(two, create({}, { callsProvider: true }))).toMatchObject({ replayed: false })
})

test('a duplicate waits for the first request as long as the setting says, then it is told to try again', async () => {
  const { one, two, keyed, count } = await newWorld({ IDEMPOTENCY_WAIT_SECONDS: 0.4 })
  const held = gate()
  const first = keyed(one, create({ before: () => held.opened }, { callsProvider: true }))
  await expect.poll(() => count('idempotency_keys')).toBe(1)
  const started = performance.now()
  const duplicates = await Promise.all(
    [one, two].map((executor) => codeOf(keyed(executor, create({}, { callsProvider: true })))),
  )
  expect(duplicates).toEqual(['409 key_in_progress 1', '409 key_in_progress 1'])
  expect(performance.now() - started).toBeGreaterThanOrEqual(390)
  held.open()
  expect(await first).toMatchObject({ replayed: false })
  expect(await count('customers')).toBe(1)
})

test('an expired lease is taken over: its holder has died', async () => {
  const { one, two, keyed, count, expire } = await newWorld({ IDEMPOTENCY_WAIT_SECONDS: 5 })
  const held = gate()
  const dead = keyed(one, create({ before: () => held.opened }, { callsProvider: true }))
  await expect.poll(() => count('idempotency_keys')).toBe(1)
  expect(await expire()).toBeGreaterThan(30)
  expect(await keyed(two, create({}, { callsProvider: true }), { name: 'second' })).toMatchObject({ replayed: false })
  held.open()
  // The one that was believed dead has lost its lease, so its effect is rolled back.
  expect(await dead).toMatchObject({ body: bodyOf('second'), replayed: true })
  expect(await count('customers')).toBe(1)
})

test('a request that fails stores nothing: those that wait for it and later ones run themselves', async () => {
  const { one, keyed, count } = await newWorld()
  const failing = create({ run: () => Promise.reject(new Error('failed')) })
  const replies = await Promise.all([codeOf(keyed(one, failing)), keyed(one, create())])
  expect(replies).toMatchObject(['Error: failed', { replayed: false }])
  expect([await count('customers'), await count('idempotency_keys')]).toEqual([1, 1])
})

test('a stored reply is replayed until its retention ends, then the request runs again', async () => {
  const { one, two, keyed, count, expire } = await newWorld({ IDEMPOTENCY_RETENTION_HOURS: 2 })
  await keyed(one, create(), { name: 'first' })
  const left = await expire()
  expect([left > 7190, left <= 7200]).toEqual([true, true])
  expect(await keyed(two, create(), { name: 'second' })).toMatchObject({ body: bodyOf('second'), replayed: false })
  expect(await keyed(one, create(), { name: 'third' })).toMatchObject({ body: bodyOf('second'), replayed: true })
  expect(await count('customers')).toBe(2)
})

test('the same key is another one in each organisation, environment, method and path', async () => {
  const { one, keyed, actor } = await newWorld()
  const other = await foundOrganisation(service.runtime)
  await keyed(one, create())
  for (const as of [
    { method: 'PUT' },
    { path: '/v1/others' },
    { actor: { ...actor, organisationId: other } },
    { actor: { ...actor, environment: 'live' as const } },
    { key: newId() },
  ])
    expect(await keyed(one, create(), {}, as)).toMatchObject({ replayed: false })
  expect(await keyed(one, create())).toMatchObject({ replayed: true })
})

test('a reply with a secret is encrypted where it is stored, and replayed in plain text', async () => {
  const { one, two, keyed, runtime, key } = await newWorld()
  const first = await keyed(one, create({}, { secretReply: true }), { name: 'whsec_secret' })
  expect(await keyed(two, create({}, { secretReply: true }))).toEqual({ ...first, replayed: true })
  const { rows } = await runtime.pool.query('select reply, encrypted from idempotency_keys where key = $1', [key.key])
  expect(rows).toEqual([{ reply: expect.not.stringContaining('whsec_secret'), encrypted: true }])
})

test('requests with different keys do not wait for each other', async () => {
  const { one, keyed } = await newWorld()
  const held = gate()
  const waiting = keyed(one, create({ before: () => held.opened }))
  expect(await keyed(one, create(), {}, { key: newId() })).toMatchObject({ replayed: false })
  held.open()
  expect(await waiting).toMatchObject({ replayed: false })
})

test('an encrypted reply is bound to its key, and can be encrypted again', async () => {
  const { one, keyed, runtime, key } = await newWorld()
  const { body } = await keyed(one, create({}, { secretReply: true }))
  const columns = domainsOf(runtime).flatMap(({ data }) => data?.encrypted ?? [])
  const column = columns.find(({ name }) => name === 'stored replies') as (typeof columns)[number]
  const find = async () =>
    (await runtime.pool.query(column.select, ['v2.other.', 1000])).rows.find(({ id }) => id.includes(key.key))
  const row = await find()
  const context = column.context(row.id)
  expect(runtime.keyring.decrypt(row.value, context)).toBe(body)
  expect(() => runtime.keyring.decrypt(row.value, `${context}x`)).toThrow()
  await runtime.pool.query(column.update, [row.id, row.value, 'v2.other.text'])
  expect(await find()).toBeUndefined()
  const { rows } = await runtime.pool.query('select reply from idempotency_keys where key = $1', [key.key])
  expect(rows).toEqual([{ reply: 'v2.other.text' }])
})

test('where an object is erased, the stored replies that show it show what is given instead, and no other', async () => {
  const { one, call, keyed } = await newWorld()
  const [id, other] = [newId(), newId()]
  const replies = [
    { path: '/v1/things/a', key: newId(), shows: id },
    { path: '/v1/things/a', key: newId(), shows: other },
    { path: '/v1/else', key: newId(), shows: id },
  ]
  const send = () =>
    Promise.all(
      replies.map(async ({ path, key, shows }) => {
        const command = { run: async () => ({ id: shows, name: 'Ada' }) }
        const shown = operation({ output: z.object({ id: z.string(), name: z.string() }), command })
        return JSON.parse((await keyed(one, shown, {}, { path, key })).body)
      }),
    )
  const [first, ...others] = await send()
  await unitOfWork(call, (unit) => replaceStoredReplies(unit, { path: '/v1/things', id, data: { id, erased: true } }))
  expect(await send()).toEqual([{ ...first, data: { id, erased: true } }, ...others])
})

test('a violated constraint that the operation declares is its error, and any other an internal one', async () => {
  const { one, keyed, call, count } = await newWorld()
  const twice = create({ run: (unit) => insertCustomer(unit, 'Ada', 'ada@example.com') })
  await one.execute(twice, call, {})
  expect(await codeOf(one.execute(twice, call, {}))).toBe('409 name_taken')
  await expect(one.execute(twice, call, {})).rejects.toMatchObject({ cause: { code: '23505' } })
  expect(await codeOf(keyed(one, twice))).toBe('409 name_taken')
  const undeclared = create({ run: (unit) => insertCustomer(unit, 'Ada', 'ada@example.com') }, { errors: [] })
  expect(await codeOf(one.execute(undeclared, call, {}))).toContain('customers_email')
  const own = create({ run: () => Promise.reject(name_taken()) }, { errors: [] })
  expect(await codeOf(one.execute(own, call, {}))).toBe('409 name_taken')
  expect(await count('customers')).toBe(1)
})

test('input that does not fit is refused before anything runs, and output is shown as its schema says', async () => {
  const { one, keyed, call, count } = await newWorld()
  await expect(one.execute(create(), call, { name: 1 })).rejects.toThrow(InvalidInput)
  await expect(keyed(one, create(), { name: 1 })).rejects.toThrow(InvalidInput)
  expect(await count('customers')).toBe(0)
  const more = { name: 'Ada', secret: 'hidden' }
  for (const shown of [operation({ query: async () => more }), create({ run: async () => more })])
    expect([await one.execute(shown, call, {}), await one.run(shown, call, {})]).toEqual([
      { data: { name: 'Ada' } },
      { name: 'Ada' },
    ])
})

test('a request without a readable input is refused for that reason, unless its key has a stored reply', async () => {
  const { one, two, keyed, call, count } = await newWorld()
  const unreadable = new UnreadableInput(email_taken())
  expect(await codeOf(one.execute(create(), call, unreadable))).toBe('409 email_taken')
  expect(await codeOf(keyed(one, create(), unreadable))).toBe('409 email_taken')
  expect([await count('customers'), await count('idempotency_keys')]).toEqual([0, 0])
  const first = await keyed(one, create())
  for (const executor of [one, two])
    expect(await keyed(executor, create(), unreadable)).toEqual({ ...first, replayed: true })
})

test('a stored reply names the object that it shows, also where it is encrypted', async () => {
  const { one, two, keyed } = await newWorld()
  const id = newId()
  for (const secretReply of [false, true]) {
    const shown = operation(
      { output: z.object({ id: z.string() }), command: { run: async () => ({ id }) } },
      { secretReply },
    )
    const key = newId()
    expect(await keyed(one, shown, {}, { key })).toMatchObject({ resourceId: id, replayed: false })
    expect(await keyed(two, shown, {}, { key })).toMatchObject({ resourceId: id, replayed: true })
  }
  expect((await keyed(one, create())).resourceId).toBeUndefined()
})

test('input that procedures have checked is not checked again', async () => {
  const { one, call } = await newWorld()
  const input = z.object({ name: z.string().transform((name) => `${name}!`) })
  const echo = operation({ input, query: async (_context, given) => given })
  expect(await one.run(echo, call, { name: 'Ada' })).toEqual({ name: 'Ada' })
  expect(await one.execute(echo, call, { name: 'Ada' })).toEqual({ data: { name: 'Ada!' } })
})

test('a query is given its input with defaults, and a complete list is the newest of it with the number of all', async () => {
  const { one, call } = await newWorld()
  expect(await one.execute(operation({ query: async (_context, input) => input }), call, {})).toEqual({
    data: { name: 'Ada' },
  })
  const whole = { name: 'things', item: z.number(), read: () => expect.fail('reads every page') }
  const output = z.object({ things: z.array(z.number()), total: z.number() })
  const list = operation({ output, completeList: { ...whole, newest: async () => ({ rows: [1, 2], total: 3 }) } })
  expect(await one.run(list, call, {})).toEqual({ things: [1, 2], total: 3 })
})

test('what waits for its place until its caller has left is not begun', async () => {
  const { one, call } = await newWorld()
  const left = AbortSignal.abort()
  const query = operation({ query: async () => expect.fail('is begun') })
  await expect(one.run(query, { ...call, signal: left }, { name: 'Ada' })).rejects.toThrow('abort')
})

test('a download is streamed with the signal of its caller, or one that never aborts', async () => {
  const { one, call } = await newWorld()
  async function* stream(_context: unknown, { name }: { name: string }, signal: AbortSignal) {
    yield `${name} ${signal.aborted}`
  }
  const download = operation({ download: { produces: 'csv', stream } as Operation['download'] })
  const read = async (given: CallContext, leave = () => {}) => {
    const pieces = []
    const { data } = await one.execute(download, given, {})
    leave()
    for await (const piece of data as AsyncIterable<string>) pieces.push(piece)
    return pieces
  }
  expect(await read(call)).toEqual(['Ada false'])
  const caller = new AbortController()
  expect(await read({ ...call, signal: caller.signal }, () => caller.abort())).toEqual(['Ada true'])
})

test('a read with a key stores its page, and a repeated request gets that page whatever there is now', async () => {
  const { one, keyed } = await newWorld()
  let reads = 0
  const read = operation({ query: async () => ({ name: `Ada ${++reads}` }) })
  const first = await keyed(one, read)
  expect(first).toMatchObject({ replayed: false })
  expect(await keyed(one, read)).toEqual({ ...first, replayed: true })
})

test('an organisation alone runs so many operations at a time as the setting says or as three quarters of the connections are, and always leaves one', async () => {
  for (const [settings, expected] of [
    [{ ORGANISATION_CONCURRENCY: 2, DATABASE_POOL: 10 }, 7],
    [{ ORGANISATION_CONCURRENCY: 8, DATABASE_POOL: 10 }, 8],
    [{ ORGANISATION_CONCURRENCY: 10, DATABASE_POOL: 3 }, 2],
  ] as const) {
    const { one, call, keyed } = await newWorld({
      ...settings,
      ORGANISATION_WAITING: 100,
      DATABASE_ACQUIRE_SECONDS: 10,
    })
    let [running, most] = [0, 0]
    const run = async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 20))
      running--
      return { name: 'Ada' }
    }
    const work = [operation({ query: run }), create({ run })]
    await Promise.all([
      ...Array.from({ length: 6 }, () => one.execute(work[0] as Operation, call, {})),
      ...Array.from({ length: 6 }, () => keyed(one, work[1] as Operation, {}, { key: newId() })),
    ])
    expect(most).toBe(expected)
  }
})

test('of an organisation’s operations that read all that it has, one runs at a time, and those that wait hold up nothing else', async () => {
  const { one, call, keyed } = await newWorld({ ORGANISATION_CONCURRENCY: 4, ORGANISATION_WAITING: 100 })
  const other = await newWorld()
  let [running, most, scanned] = [0, 0, 0]
  const scan = async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, 30))
    running--
    scanned++
    return { name: 'Ada' }
  }
  const [count, change] = [operation({ query: scan }, { scans: true }), create({ run: scan }, { scans: true })]
  const own = Array.from({ length: 10 }, (_, n) =>
    n % 2 ? one.execute(count, call, {}) : keyed(one, change, {}, { key: newId() }),
  )
  await one.execute(operation({ query: async () => ({ name: 'at once' }) }), call, {})
  const before = scanned
  await one.execute(operation({ query: scan }, { scans: true }), other.call, {})
  await Promise.all(own)
  expect([before, most, scanned]).toEqual([0, 2, 11])
})

test('a query, or a step before a command with a key, that takes too long is a 503, and any other failure stays what it is', async () => {
  const { one, call, keyed } = await newWorld()
  const slow =
    (statement: string) =>
    ({ em }: Pick<QueryContext, 'em'>) =>
      em.transactional(async (own) => {
        await sqlOf(own).query("select set_config('statement_timeout', '50', true)")
        await sqlOf(own).query(statement)
        return { name: 'never' }
      })
  const failing = [
    (statement: string) => one.execute(operation({ query: slow(statement) }), call, {}),
    (statement: string) => keyed(one, create({ before: slow(statement) })),
  ]
  for (const fail of failing) {
    await expect(fail('select pg_sleep(5)')).rejects.toMatchObject({ status: 503, code: 'busy' })
    await expect(fail('select 1 / 0')).rejects.toThrow('division by zero')
  }
})
