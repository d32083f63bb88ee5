import { newId } from '@payments/kernel'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { dyingEverywhere, foundOrganisation, useService } from '#testing'
import { type Recorded, record } from '../../test/record.ts'
import { checkLedger } from '../journal/check/check.ts'
import { settlementDays, transactionDays } from './days.ts'
import { keepSums, sumProblems } from './sums.ts'

const service = useService({ settings: { DATABASE_POOL: '20' } })

/** The summaries of an organisation: `day kind asset status` → number and amount. */
async function days(
  organisationId: string,
  environment = 'test',
  db: Pick<Client, 'query'> = service.runtime.pool,
): Promise<Record<string, string>> {
  const { rows } = await db.query<{ part: string; sums: string }>(
    `select concat_ws(' ', day, kind, asset, status) as part, sum(count) || ' ' || trim_scale(sum(amount)) as sums from transaction_days
      where organisation_id = $1 and environment = $2 group by 1 having sum(count) <> 0 or sum(amount) <> 0 order by 1`,
    [organisationId, environment],
  )
  return Object.fromEntries(rows.map(({ part, sums }) => [part, sums]))
}

const owner = async (options?: string) => {
  const client = new Client({ connectionString: service.database.ownerUrl, ...(options ? { options } : {}) })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

const pick = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)] as T

/** A change of a transaction, whose day depends on nothing but its id. */
const anyChange = (id: string): Recorded => ({
  id,
  kind: 'swap',
  status: pick(['awaiting_deposit', 'swapping', 'completed', 'failed']),
  amount: pick([
    'USDC',
    '-1.5 USDC',
    '0 USDC',
    '0.000001 USDC',
    '12.5 USDC',
    '12345678901234567890.123456789012345678 ETH',
    '7.25 EURC',
  ]),
  createdAt: new Date(Date.UTC(2026, 0, 1 + (Number.parseInt(id.slice(-2), 16) % 5), 23, 59, 59, 999)),
})

test('a transaction counts on the day (UTC) of its creation, and takes its amount along when its status or amount changes', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const createdAt = new Date('2026-03-01T23:59:59.999Z')
  const [id, other] = [newId(), newId()]
  await record(service.runtime, { organisationId }, [
    { id, status: 'swapping', amount: '0 USDC', createdAt },
    { id: other, status: 'swapping', amount: '2.50 USDC', createdAt: new Date('2026-03-02T00:00:00.000Z') },
  ])
  await record(service.runtime, { organisationId, environment: 'live' }, [{ amount: '9 USDC', createdAt }])
  expect(await days(organisationId)).toEqual({
    '2026-03-01 swap USDC swapping': '1 0',
    '2026-03-02 swap USDC swapping': '1 2.5',
  })
  await record(service.runtime, { organisationId }, [{ id, status: 'completed', amount: '0.000000000000000001 USDC' }])
  await record(service.runtime, { organisationId }, [{ id: other, status: 'failed', amount: '3 EURC' }])
  expect(await days(organisationId)).toEqual({
    '2026-03-01 swap USDC completed': '1 0.000000000000000001',
    '2026-03-02 swap EURC failed': '1 3',
  })
  expect(await days(organisationId, 'live')).toEqual({ '2026-03-01 swap USDC completed': '1 9' })
})

test('every amount counts: none, negative, not known yet, and with a symbol of any length', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const createdAt = new Date('2026-03-01T00:00:00Z')
  const amounts = ['USDC', '0 USDC', '-3 USDC', '1000000000 USDC', `4 ${'X'.repeat(5000)}`, '6 Wrapped Ether']
  await record(
    service.runtime,
    { organisationId },
    amounts.map((amount) => ({ amount, createdAt })),
  )
  expect(await days(organisationId)).toEqual({
    '2026-03-01 swap USDC completed': '4 999999997',
    [`2026-03-01 swap ${'X'.repeat(40)} completed`]: '1 4',
    '2026-03-01 swap Wrapped Ether completed': '1 6',
  })
})

test('after thousands of parallel creations and changes, some of which fail, every summary is what the list has', async () => {
  const organisationIds = [await foundOrganisation(service.runtime), await foundOrganisation(service.runtime)]
  const known = organisationIds.map(() => [] as string[])
  const work = async () => {
    for (let step = 0; step < 40; step++) {
      const which = pick([0, 1])
      const ids = known[which] as string[]
      // Of several changes of one object in a unit only the last is written, so each unit takes other objects.
      const fresh = Array.from({ length: 6 }, () => newId())
      const changed = [...new Set(Array.from({ length: 3 }, () => pick(ids)).filter(Boolean))].toSorted()
      const failing = step % 8 === 7
      await record(service.runtime, { organisationId: organisationIds[which] as string }, [
        ...[...fresh, ...changed].map(anyChange),
        ...(failing ? [{ kind: 'no kind' }] : []),
      ]).then(
        () => ids.push(...fresh),
        (error: unknown) => {
          if (!failing) throw error
        },
      )
    }
  }
  await Promise.all(Array.from({ length: 16 }, work))
  const { rows } = await service.runtime.pool.query(
    'select count(*)::int as rows from transactions where organisation_id = any ($1)',
    [organisationIds],
  )
  expect(rows).toEqual([{ rows: 16 * 35 * 6 }])
  for (const sums of [transactionDays, settlementDays])
    expect(await sumProblems(service.runtime.pool, sums)).toEqual([])
})

test('a connection that is lost before any statement of a creation or a change loses nothing and counts nothing twice', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const createdAt = new Date('2026-03-01T00:00:00Z')
  const id = newId()
  // The pool can still hold the connection that was lost.
  const db = await owner()
  for (const status of ['swapping', 'completed']) {
    const before = await days(organisationId, 'test', db)
    const done = { [`2026-03-01 swap USDC ${status}`]: '1 5' }
    const cuts = await dyingEverywhere(
      service,
      (runtime) => record(runtime, { organisationId }, [{ id, status, amount: '5 USDC', createdAt }]),
      async (cut) => expect(await days(organisationId, 'test', db)).toEqual(cut === null ? done : before),
    )
    expect(cuts).toBe(1)
    // As a job or a merchant that repeats it.
    await record(service.runtime, { organisationId }, [{ id, status, amount: '5 USDC', createdAt }])
    expect(await days(organisationId)).toEqual(done)
  }
  for (const sums of [transactionDays, settlementDays])
    expect(await sumProblems(service.runtime.pool, sums)).toEqual([])
})

test('writers of one day, kind, asset and status never wait for each other, and a sum stays as few rows as there were writers at once', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const writers = await Promise.all(Array.from({ length: 12 }, () => owner('-c lock_timeout=2s')))
  for (let round = 0; round < 3; round++) {
    for (const db of writers) await db.query('begin')
    // All are open when the last one writes.
    for (const db of writers)
      await db.query(
        `insert into transactions (id, organisation_id, environment, kind, status, destination, amount, currency, receipt, created_at, updated_at)
         values ($1, $2, 'test', 'swap', 'completed', '', 0.1, 'USDC', '{}', '2026-03-01T12:00:00Z', now())`,
        [newId(), organisationId],
      )
    for (const db of writers) await db.query('commit')
  }
  expect(await days(organisationId)).toEqual({ '2026-03-01 swap USDC completed': '36 3.6' })
  const { rows } = await service.runtime.pool.query(
    'select count(*)::int as rows from transaction_days where organisation_id = $1',
    [organisationId],
  )
  expect(rows).toEqual([{ rows: 12 }])
})

test('the migration adds the transactions of before, beside writers and however often it runs', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const { up } = keepSums(transactionDays)
  const db = await owner()
  const ids = Array.from({ length: 300 }, () => newId())
  await db.query('drop trigger sum_transactions_insert on transactions')
  await db.query('drop trigger sum_transactions_update on transactions')
  await db.query('drop table transaction_days')
  await record(service.runtime, { organisationId }, ids.map(anyChange))
  for (const statement of up.slice(0, -1)) await db.query(statement)
  await record(service.runtime, { organisationId }, ids.slice(0, 100).map(anyChange))
  // The statement that adds them sees the rows of this moment, however long it takes.
  await db.query('begin isolation level repeatable read')
  await db.query('select from transactions')
  await record(service.runtime, { organisationId }, [...ids.slice(50, 200), newId()].map(anyChange))
  await db.query(up.at(-1) as string)
  await record(service.runtime, { organisationId }, [...ids.slice(0, 60), newId()].map(anyChange))
  await db.query('commit')
  await db.query('grant select on transaction_days to payments_service')
  expect(await sumProblems(service.runtime.pool, transactionDays)).toEqual([])
  const before = await days(organisationId)
  for (const statement of up) await db.query(statement)
  expect(await days(organisationId)).toEqual(before)
})

test('the check of the ledger finds a summary that is not what the list has, which the service cannot write', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  await record(service.runtime, { organisationId }, [
    { amount: '5 USDC', createdAt: new Date('2026-03-01T00:00:00Z') },
    { amount: '6 USDC', createdAt: new Date('2026-03-02T00:00:00Z') },
  ])
  await expect(service.runtime.pool.query('update transaction_days set amount = 0')).rejects.toThrow(
    /permission denied/,
  )
  const db = await owner()
  await db.query("update transaction_days set amount = 5.5 where organisation_id = $1 and day = '2026-03-01'", [
    organisationId,
  ])
  const { findings } = await checkLedger({ pool: service.runtime.pool, domains: [] })
  // The other tests compare all sums of the database.
  await db.query('update transaction_days set amount = 5 where organisation_id = $1 and amount = 5.5', [organisationId])
  expect(findings.filter((finding) => finding.organisationId === organisationId)).toEqual([
    {
      check: 'counts',
      organisationId,
      environment: 'test',
      id: '2026-03-01 swap USDC completed',
      message: 'transaction_days has count 1, amount 5.5, its rows are count 1, amount 5',
    },
  ])
})
