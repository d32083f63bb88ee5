import { type Change, defineErrors, newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { bookOf, foundOrganisation, useService } from '#testing'
import { sqlOf } from '../database/sql.ts'
import type { UnitOfWork } from '../operations/context/context.ts'
import { domainsOf } from './domain.ts'
import { createResource, locked, move, moveLocked, type Resource, type Row, updateResource } from './resource.ts'

const service = useService()
const { missing } = defineErrors({ missing: { status: 404, message: 'missing' } })

/** The endpoints of the service as a resource with events of its own, and what is recorded of its changes. */
async function newResource(given: Partial<Resource<Row>> = {}) {
  const resources = domainsOf(service.runtime).flatMap((domain) => domain.data?.resources ?? [])
  const endpoints = resources.find(({ table }) => table === 'webhook_endpoints') as Resource<Row>
  const of: Resource<Row> = {
    ...endpoints,
    events: { created: 'thing.created', updated: 'thing.updated', also: { disabled: 'thing.disabled' } },
    present: ({ id, status }) => ({ id, status }),
    ...given,
  }
  const organisationId = await foundOrganisation(service.runtime)
  const book = bookOf(service.runtime, organisationId)
  const id = newId()
  const recorded: Change[] = []
  const run = <T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> =>
    book.do((unit) => work(Object.assign(Object.create(unit), { record: (change: Change) => recorded.push(change) })))
  const values = {
    id,
    organisationId,
    environment: 'test',
    url: 'https://merchant.example/',
    secret: 'x',
    previousSecrets: [],
  }
  const create = () => run(async (unit) => createResource(unit, of, values as never))
  const stored = async () => {
    const { rows } = await service.runtime.pool.query(
      'select status, description, created_at, updated_at from webhook_endpoints where id = $1',
      [id],
    )
    const { created_at, updated_at, ...row } = rows[0]
    return { ...row, createdAt: new Date(created_at), updatedAt: new Date(updated_at) }
  }
  const take = () => recorded.splice(0)
  return { of, id, organisationId, values, run, create, stored, take }
}

test('a resource begins in its initial state, and its creation is recorded with no previous status', async () => {
  const { of, id, organisationId, create, stored, take } = await newResource()
  const row = await create()
  expect(row).toMatchObject({ id, status: 'enabled', url: 'https://merchant.example/' })
  expect(row.updatedAt).toEqual(row.createdAt)
  expect(await stored()).toMatchObject({ status: 'enabled', createdAt: row.createdAt, updatedAt: row.createdAt })
  expect(take()).toEqual([
    {
      organisationId,
      environment: 'test',
      resourceId: id,
      type: 'thing.created',
      status: 'enabled',
      previousStatus: null,
      data: of.present(row),
      createdAt: row.createdAt,
      at: row.createdAt,
    },
  ])
})

test('a move writes the status and the fields, and records the change and what is announced beside it', async () => {
  const { of, id, run, create, stored, take } = await newResource()
  const before = await create()
  take()
  const { row, outcome } = await run((unit) =>
    move(unit, of, id, 'disable', missing, { description: 'Later' } as object),
  )
  expect([outcome, row]).toEqual(['moved', expect.objectContaining({ status: 'disabled', description: 'Later' })])
  expect(row.updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime())
  expect(await stored()).toMatchObject({ status: 'disabled', description: 'Later', updatedAt: row.updatedAt })
  const change = {
    resourceId: id,
    status: 'disabled',
    previousStatus: 'enabled',
    data: { id, status: 'disabled' },
    at: row.updatedAt,
  }
  expect(take()).toMatchObject([
    { ...change, type: 'thing.updated' },
    { ...change, type: 'thing.disabled' },
  ])
})

test('a locked row passes through several states without being read again, and each is recorded with the one before', async () => {
  const { of, id, run, create, stored, take } = await newResource()
  await create()
  take()
  const reads = await run(async (unit) => {
    const row = await locked(unit, of, id, missing)
    let read = 0
    const find = unit.em.findOne.bind(unit.em)
    unit.em.findOne = ((...given: Parameters<typeof find>) => {
      read++
      return find(...given)
    }) as typeof find
    const disabled = await moveLocked(unit, of, row, 'disable', { description: 'Later' } as object)
    await moveLocked(unit, of, disabled.row, 'revoke')
    return read
  })
  expect(reads).toBe(0)
  expect(await stored()).toMatchObject({ status: 'revoked', description: 'Later' })
  expect(take().map(({ previousStatus, status }) => [previousStatus, status])).toEqual([
    ['enabled', 'disabled'],
    ['enabled', 'disabled'],
    ['disabled', 'revoked'],
  ])
})

test('a move stores its fields with the status', async () => {
  const { of, id, run, create, stored } = await newResource()
  await create()
  await run((unit) => move(unit, of, id, 'disable', missing, { description: 'Yes' } as object))
  expect(await stored()).toMatchObject({ status: 'disabled', description: 'Yes' })
})

test('an event without an edge from the state of the row changes and records nothing', async () => {
  const { of, id, run, create, stored, take } = await newResource()
  await create()
  take()
  const before = await stored()
  const { row, outcome } = await run((unit) => move(unit, of, id, 'enable', missing, { description: 'No' } as object))
  expect([outcome, row.status, take()]).toEqual(['ignored', 'enabled', []])
  expect(await stored()).toEqual(before)
})

test('a change without a move is recorded with the status as the previous one, and announces nothing beside it', async () => {
  const { of, id, run, create, take, stored } = await newResource()
  await create()
  await run((unit) => move(unit, of, id, 'disable', missing))
  take()
  const row = await run(async (unit) => {
    const before = await locked(unit, of, id, missing)
    return updateResource(unit, of, before, { description: 'Later' } as object, 'event')
  })
  expect(take()).toMatchObject([
    { type: 'thing.updated', status: 'disabled', previousStatus: 'disabled', at: row.updatedAt },
  ])
  expect(await stored()).toMatchObject({ status: 'disabled', description: 'Later', updatedAt: row.updatedAt })
})

test('a resource without events is recorded for the list of transactions only, and one without both not at all', async () => {
  const entry = { kind: 'thing' } as never
  const listed = await newResource({ events: null, entry: () => entry })
  await listed.create()
  await listed.run((unit) => move(unit, listed.of, listed.id, 'disable', missing))
  expect(listed.take()).toMatchObject([
    { type: null, entry, status: 'enabled' },
    { type: null, entry, status: 'disabled' },
  ])
  const change = async (told?: 'event') =>
    listed.run(async (unit) =>
      updateResource(
        unit,
        listed.of,
        await locked(unit, listed.of, listed.id, missing),
        { description: 'x' } as object,
        told,
      ),
    )
  await change()
  await change('event')
  expect(listed.take()).toMatchObject([
    { type: null, entry, previousStatus: 'disabled' },
    { type: null, entry, previousStatus: 'disabled' },
  ])
  const silent = await newResource({ events: null })
  await silent.create()
  await silent.run((unit) => move(unit, silent.of, silent.id, 'disable', missing))
  expect(silent.take()).toEqual([])
})

test('a resource that announces nothing beside its changes has one event for each', async () => {
  const { of, id, run, create, take } = await newResource({
    events: { created: 'thing.created', updated: 'thing.updated' },
  })
  await create()
  await run((unit) => move(unit, of, id, 'disable', missing))
  expect(take().map(({ type }) => type)).toEqual(['thing.created', 'thing.updated'])
})

test('a row is locked until the transaction ends, and read as it is then', async () => {
  const { of, id, run, create } = await newResource()
  await create()
  const statuses = await Promise.all(
    ['a', 'b'].map(() =>
      run(async (unit) => {
        const { status } = await locked(unit, of, id, missing)
        await new Promise((resolve) => setTimeout(resolve, 100))
        await move(unit, of, id, 'disable', missing)
        return status
      }),
    ),
  )
  expect(statuses.sort()).toEqual(['disabled', 'enabled'])
})

test('a row that another transaction has changed since it was read is read again when it is locked', async () => {
  const { of, id, run, create } = await newResource()
  await create()
  await run(async (unit) => {
    await unit.em.findOne(of.entity, { id })
    await run((other) => move(other, of, id, 'disable', missing))
    expect((await locked(unit, of, id, missing)).status).toBe('disabled')
  })
})

test('a row of another tenant, an unknown id and a malformed id are missing; a filter of the resource can be switched off', async () => {
  const { of, id, create } = await newResource()
  await create()
  const other = await newResource()
  for (const wrong of [id, newId(), 'x'])
    for (const work of [
      locked,
      (unit: UnitOfWork, ...rest: [typeof of, string, typeof missing]) =>
        move(unit, rest[0], rest[1], 'disable', rest[2]),
    ])
      await expect(other.run((unit) => work(unit, of, wrong, missing) as Promise<unknown>)).rejects.toThrow('missing')
  const wide = { ...of, filters: { tenant: false } }
  const { row } = await other.run((unit) => move(unit, wide, id, 'disable', missing))
  expect(row.status).toBe('disabled')
  expect((await other.run((unit) => locked(unit, wide, id, missing))).status).toBe('disabled')
})

test('a row changes with the commit, several times if it must, also in the unit that creates it; a statement before the commit sees it', async () => {
  const { of, id, values, run, stored } = await newResource()
  const seen: unknown[] = []
  await run(async (unit) => {
    const read = async () =>
      seen.push(
        (await sqlOf(unit.em).query('select status, description from webhook_endpoints where id = $1', [id])).rows[0],
      )
    const created = createResource(unit, of, values as never)
    const { row } = await moveLocked(unit, of, created, 'disable')
    await read()
    const described = await updateResource(unit, of, row, { description: 'one' } as never)
    const { row: enabled } = await moveLocked(unit, of, described, 'enable')
    const renamed = await updateResource(unit, of, enabled, { description: 'two' } as never)
    await read()
    await moveLocked(unit, of, renamed, 'disable')
  })
  expect(seen).toEqual([
    { status: 'disabled', description: null },
    { status: 'enabled', description: 'two' },
  ])
  expect(await stored()).toMatchObject({ status: 'disabled', description: 'two' })
})

test('a unit that fails changes no row, and a row is changed only as one of its tenant', async () => {
  const { of, run, create, stored } = await newResource()
  const other = await newResource()
  const row = await create()
  const rolledBack = run(async (unit) => {
    await moveLocked(unit, of, row, 'disable')
    unit.appendToCommit({ text: "insert into events (id) values ('not-a-uuid')", values: [] })
  })
  await expect(rolledBack).rejects.toThrow(/uuid/)
  await run((unit) => moveLocked(unit, of, { ...row, organisationId: other.organisationId }, 'disable'))
  await run((unit) => moveLocked(unit, of, { ...row, environment: 'live' }, 'disable'))
  expect(await stored()).toMatchObject({ status: 'enabled' })
})

test('each change of a status is one line of the log once it is committed: object, from, to, cause; nothing of what is rolled back', async () => {
  const { of, id, organisationId, run, create } = await newResource()
  const lines = () =>
    service.logs.map((line) => JSON.parse(line)).filter((line) => line.msg === 'status changed' && line.id === id)
  await create()
  await expect(
    run(async (unit) => {
      await move(unit, of, id, 'disable', missing)
      throw new Error('rolled back')
    }),
  ).rejects.toThrow('rolled back')
  await run((unit) => move(unit, of, id, 'disable', missing))
  const common = { object: 'webhook_endpoints', id, organisationId, environment: 'test' }
  expect(lines()).toEqual([
    expect.objectContaining({ ...common, from: null, to: 'enabled', cause: 'create' }),
    expect.objectContaining({ ...common, from: 'enabled', to: 'disabled', cause: 'disable' }),
  ])
})
