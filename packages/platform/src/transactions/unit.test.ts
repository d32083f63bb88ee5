import { newId, ServiceError, system } from '@payments/kernel'
import { Client } from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { connected, newMerchant, useService } from '#testing'
import { sqlOf } from '../database/sql.ts'
import type { GatheredCall, UnitOfWork } from '../operations/context/context.ts'
import { LastStatementEmpty, openUnit, unitOfWork } from './unit.ts'

const service = useService()
let organisationId = ''
beforeAll(async () => {
  organisationId = (await newMerchant(service)).organisationId
})

const context = () => ({ runtime: service.runtime, actor: system(organisationId, 'test'), log: service.runtime.log })
const run = <T>(handler: (unit: UnitOfWork) => Promise<T>) => unitOfWork(context(), handler)
const rename = (unit: UnitOfWork, name: string) =>
  sqlOf(unit.em).query('update organisations set name = $1 where id = $2', [name, organisationId])
const nameNow = async () =>
  (await service.runtime.pool.query('select name from organisations where id = $1', [organisationId])).rows[0].name
/** Adds a row that is written with the commit, as events are. */
const event = (unit: UnitOfWork, type: string) =>
  unit.appendToCommit({
    text: `insert into events (id, organisation_id, environment, type, resource_id, payload, created_at)
      values ($1, $2, 'test', $3, $2, '{}', now())`,
    values: [newId(), organisationId, type],
  })
const events = async (type: string) =>
  (await service.runtime.pool.query('select 1 from events where type = $1', [type])).rowCount

test('the changes of a handler and its event commit together', async () => {
  await run(async (unit) => {
    await rename(unit, 'one')
    event(unit, 'one')
  })
  expect([await nameNow(), await events('one')]).toEqual(['one', 1])
})

test('a handler that throws changes nothing, whatever it had written before', async () => {
  await run((unit) => rename(unit, 'before'))
  await expect(
    run(async (unit) => {
      await rename(unit, 'after')
      event(unit, 'lost')
      throw new ServiceError('rejected', { status: 409, message: 'Rejected' })
    }),
  ).rejects.toThrow('Rejected')
  expect([await nameNow(), await events('lost')]).toEqual(['before', 0])
})

test('a last statement that fails rolls back the whole unit, although the commit was sent with it', async () => {
  await run((unit) => rename(unit, 'before'))
  await expect(
    run(async (unit) => {
      await rename(unit, 'after')
      unit.appendToCommit({ text: "insert into events (id) values ('not-a-uuid')", values: [] })
    }),
  ).rejects.toThrow(/uuid/)
  expect(await nameNow()).toBe('before')
  await run((unit) => rename(unit, 'works again'))
  expect(await nameNow()).toBe('works again')
})

test('a last statement that writes no row rolls back the whole unit', async () => {
  await run((unit) => rename(unit, 'before'))
  const unit = openUnit(context())
  await rename(unit, 'after')
  await expect(
    unit.commit({ text: 'update organisations set name = name where false returning 1', values: [] }),
  ).rejects.toThrow(LastStatementEmpty)
  await unit.rollback()
  expect(await nameNow()).toBe('before')
})

test('a last statement that cannot be sent rolls back the whole unit', async () => {
  await run((unit) => rename(unit, 'before'))
  const unsendable = {
    toPostgres() {
      throw new Error('cannot be sent')
    },
  }
  for (const value of [unsendable, Symbol('x'), () => 1]) {
    await expect(
      run(async (unit) => {
        await rename(unit, 'after')
        unit.appendToCommit({ text: 'update organisations set name = $1 where false', values: [value] })
      }),
    ).rejects.toThrow()
    expect(await nameNow()).toBe('before')
  }
})

test('prepared statements with texts of the same length are not confused', async () => {
  for (let round = 0; round < 4; round++) {
    await run(async (unit) => {
      await rename(unit, `round ${round}`)
      event(unit, 'same')
      unit.appendToCommit({ text: 'update organisations set name = name where id = $1', values: [organisationId] })
    })
    await run(async (unit) => {
      await rename(unit, `round ${round}`)
      unit.appendToCommit({ text: 'update organisations set name = name where id = $1', values: [organisationId] })
      event(unit, 'same')
    })
  }
  expect(await events('same')).toBe(8)
})

test('a unit that consists of its commit statements only is atomic', async () => {
  await run(async (unit) => {
    event(unit, 'alone')
    event(unit, 'beside')
  })
  expect([await events('alone'), await events('beside')]).toEqual([1, 1])
  await expect(
    run(async (unit) => {
      event(unit, 'half')
      unit.appendToCommit({ text: "insert into events (id) values ('not-a-uuid')", values: [] })
    }),
  ).rejects.toThrow(/uuid/)
  expect(await events('half')).toBe(0)
})

test('a unit that was rolled back is not reported as committed when a handler ignores an error', async () => {
  await expect(
    run(async (unit) => {
      await rename(unit, 'swallowed')
      await sqlOf(unit.em)
        .query('select 1 / 0')
        .catch(() => undefined)
    }),
  ).rejects.toThrow('rolled back')
  expect(await nameNow()).not.toBe('swallowed')
})

test('a connection that is terminated at any point of a unit before its commit leaves no change', async () => {
  for (const point of ['first', 'middle', 'last'] as const) {
    await run((unit) => rename(unit, `before ${point}`))
    const cut = async (unit: UnitOfWork) => {
      const { rows } = await sqlOf(unit.em).query<{ pid: number }>('select pg_backend_pid() as pid')
      const owner = new Client({ connectionString: service.database.ownerUrl })
      await owner.connect()
      await owner.query('select pg_terminate_backend($1, 10000)', [rows[0]?.pid])
      await owner.end()
    }
    await expect(
      run(async (unit) => {
        if (point === 'first') await cut(unit)
        await rename(unit, `after ${point}`)
        if (point === 'middle') await cut(unit)
        event(unit, `cut ${point}`)
        if (point === 'last') await cut(unit)
      }),
    ).rejects.toThrow()
    expect([await nameNow(), await events(`cut ${point}`)]).toEqual([`before ${point}`, 0])
  }
  // A terminated connection is removed from the pool.
  const { totalCount, idleCount } = service.runtime.pool
  expect(totalCount - idleCount).toBe(0)
})

test('a unit whose statement takes too long, or waits too long for a lock, is rolled back and may be repeated: 503', async () => {
  const holder = await service.runtime.pool.connect()
  try {
    await holder.query('begin')
    await holder.query('select from organisations where id = $1 for update', [organisationId])
    for (const [setting, sqlState] of [
      ['statement_timeout', '57014'],
      ['lock_timeout', '55P03'],
    ]) {
      const slow = run(async (unit) => {
        await event(unit, 'slow')
        await sqlOf(unit.em).query(`set local ${setting} = 50`)
        await rename(unit, 'never')
      })
      await expect(slow).rejects.toMatchObject({ status: 503, code: 'busy', retryAfter: 1, cause: { code: sqlState } })
    }
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  expect(await events('slow')).toBe(0)
})

test('units that deadlock are retried and both commit', async () => {
  const [a, b] = [(await newMerchant(service)).organisationId, (await newMerchant(service)).organisationId]
  const lock = (unit: UnitOfWork, id: string, name: string) =>
    sqlOf(unit.em).query('update organisations set name = $1 where id = $2', [name, id])
  let [runs, locks] = [0, 0]
  let bothLocked: () => void = () => undefined
  const locked = new Promise<void>((resolve) => {
    bothLocked = resolve
  })
  const both = (first: string, second: string, name: string) =>
    run(async (unit) => {
      runs++
      await lock(unit, first, name)
      // Each first run waits until the other holds its first row, so that they must deadlock.
      if (++locks === 2) bothLocked()
      await locked
      await lock(unit, second, name)
    })
  await Promise.all([both(a, b, 'x'), both(b, a, 'y')])
  expect(runs).toBeGreaterThan(2)
  const { rows } = await service.runtime.pool.query('select distinct name from organisations where id = any($1)', [
    [a, b],
  ])
  expect(rows).toHaveLength(1)
})

/** Renames the organisation to all names that were gathered. */
const renames: GatheredCall<string | null> = {
  key: 'renames',
  expression: (names) => ({
    text: "set_config('payments.names', array_to_string($1::text[], '/', '-'), true) is not null",
    values: [names],
  }),
  errorOf: (error) => error,
}

test('what a unit gathers is sent in one call before the next statement, whatever characters it has', async () => {
  await run(async (unit) => {
    for (const name of ['a"b', null, String.raw`c\{d},`, '']) unit.gather(renames, name)
    const { rows } = await sqlOf(unit.em).query("select current_setting('payments.names', true) as names")
    expect(rows).toEqual([{ names: String.raw`a"b/-/c\{d},/` }])
  })
})

test('a call that was gathered runs once with the commit, also with a last statement and after others', async () => {
  const counted: GatheredCall<string> = {
    key: 'counted',
    expression: (types) => ({ text: "setval('called', nextval('called') + $1 - 1)", values: [types.length] }),
    errorOf: (error) => error,
  }
  const owner = await connected(service)
  try {
    await owner.query('create sequence called')
    await owner.query('grant usage, update on sequence called to public')
    const calls = async () => Number((await owner.query('select last_value, is_called from called')).rows[0].last_value)
    for (const [begun, expected] of [
      [false, 2],
      [true, 4],
    ] as const) {
      const unit = openUnit(context())
      if (begun) await rename(unit, 'begun')
      for (const type of ['one', 'other']) unit.gather(counted, type)
      await unit.commit({
        text: 'update organisations set name = name where id = $1 returning 1',
        values: [organisationId],
      })
      expect(await calls()).toBe(expected)
    }
  } finally {
    await owner.query('drop sequence if exists called')
    await owner.end()
  }
})

test('a call that fails rolls back the unit, with the error that it stands for', async () => {
  await run((unit) => rename(unit, 'before'))
  const failing: GatheredCall<number> = {
    key: 'failing',
    expression: (divisors) => ({ text: '1 / $1::int', values: [divisors[0]] }),
    errorOf: (error, divisors) =>
      new ServiceError('rejected', { status: 409, message: `By ${divisors}` }, { cause: error }),
  }
  for (const begun of [false, true])
    await expect(
      run(async (unit) => {
        if (begun) await rename(unit, 'after')
        event(unit, 'by zero')
        unit.gather(failing, 0)
      }),
    ).rejects.toThrow('By 0')
  expect([await nameNow(), await events('by zero')]).toEqual(['before', 0])
})
