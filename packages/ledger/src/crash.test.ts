import { newId } from '@payments/kernel'
import { type Domain, sqlOf, type UnitOfWork } from '@payments/platform'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { bookOf, foundOrganisation, own, someSource, transfer, useService } from '#testing'
import { checkLedger } from './journal/check/check.ts'
import { capture, reserve } from './journal/holds.ts'
import { post } from './journal/post.ts'
import { balance } from './journal/reads.ts'
import { seal } from './journal/seal.ts'
import { listTransactions } from './transactions/transactions.ts'

const OBJECTS = 400
const CLIENTS = 8
const KILLS = 150

const service = useService()
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test.each([0, 1, 2, 3])(
  'a unit whose connection ends after %i of its three writes changes nothing, and repeating it applies everything once',
  async (cut) => {
    const book = bookOf(service.runtime, await foundOrganisation(service.runtime))
    const source = someSource()
    const writes: ((unit: UnitOfWork) => Promise<unknown>)[] = [
      (unit) => post(unit, transfer(own('external'), own('available'), 10n, source)),
      (unit) => reserve(unit, { source, holder: { asset: 'USDC' }, amount: 4n }),
      (unit) => capture(unit, { source, to: [{ account: own('destination'), amount: 3n }] }),
    ]
    const runUnit = (dies: boolean) =>
      book.do(async (unit) => {
        for (const [index, write] of [...writes, () => undefined].entries()) {
          if (dies && index === cut) await sqlOf(unit.em).query('select pg_terminate_backend(pg_backend_pid())')
          await write(unit)
        }
      })
    const balances = () =>
      Promise.all([own('available'), own('reserved'), own('destination')].map((key) => balance(book.read(), key)))
    await expect(runUnit(true)).rejects.toThrow()
    expect(await balances()).toEqual([0n, 0n, 0n])
    for (let time = 0; time < 2; time++) {
      await runUnit(false)
      expect(await balances()).toEqual([7n, 0n, 3n])
    }
  },
)

test('connections that are terminated at any time lose nothing and apply nothing twice', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const book = bookOf(service.runtime, organisationId)
  const tenant = { organisationId, environment: 'test' as const }
  let working = true
  let kills = 0
  let failures = 0

  const killer = async () => {
    const owner = new Client({ connectionString: service.database.ownerUrl })
    await owner.connect()
    while (working && kills < KILLS) {
      const { rowCount } = await owner.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'payments' and pid <> pg_backend_pid() order by random() limit 1`,
      )
      kills += rowCount ?? 0
      await pause(Math.random() * 15)
    }
    await owner.end()
  }

  /** Repeats until it succeeds, as a job or a merchant with an idempotency key does. */
  const retryUntilDone = async (handler: () => Promise<unknown>) => {
    for (;;) {
      try {
        return await handler()
      } catch {
        failures++
        await pause(5)
      }
    }
  }

  const todo = Array.from({ length: OBJECTS }, () => newId())
  const client = async () => {
    for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
      const source = { type: 'swap', id }
      const incoming = transfer(own('external'), own('available'), 10n, source)
      const at = new Date()
      await retryUntilDone(() =>
        book.do(async (unit) => {
          await unit.record({
            ...tenant,
            type: null,
            resourceId: source.id,
            status: 'completed',
            previousStatus: null,
            data: {},
            createdAt: at,
            at,
            entry: {
              kind: 'swap',
              customerId: null,
              destination: 'Solana USDC',
              amount: '0.00001',
              currency: 'USDC',
              amountUsd: null,
              receipt: { type: 'swap', amount: '10' },
            },
          })
          await post(unit, incoming)
          await reserve(unit, { source: { type: 'hold', id: source.id }, holder: { asset: 'USDC' }, amount: 4n })
        }),
      )
    }
  }
  const sealer = async () => {
    while (working) await retryUntilDone(() => seal(service.runtime, 20))
  }

  const background = [killer(), sealer()]
  await Promise.all(Array.from({ length: CLIENTS }, client))
  working = false
  await Promise.all(background)

  expect(kills).toBeGreaterThan(0)
  expect(failures).toBeGreaterThan(0)
  await retryUntilDone(() => service.runtime.pool.query('select 1'))
  const context = book.read()
  expect(await balance(context, own('external'))).toBe(-10n * BigInt(OBJECTS))
  expect(await balance(context, own('available'))).toBe(6n * BigInt(OBJECTS))
  expect(await balance(context, own('reserved'))).toBe(4n * BigInt(OBJECTS))
  expect((await listTransactions(context, undefined)).total).toBe(OBJECTS)
  const balances = ({ amount }: { amount: string }) => [
    { purpose: 'external', asset: 'USDC', amount: -BigInt(amount) },
    { purpose: 'available', asset: 'USDC', amount: BigInt(amount) },
  ]
  const swap = { schema: z.unknown(), balances, outcomes: { succeeded: [], failed: [] } }
  const domains: Domain[] = [{ name: 'swaps', money: { receipts: { swap } } }]
  const report = await checkLedger({ pool: service.runtime.pool, domains })
  expect(report).toMatchObject({ ok: true, findings: [], walked: { transactions: OBJECTS } })
  const { rows } = await service.runtime.pool.query(
    'select count(*)::int as entries from ledger_entries where organisation_id = $1',
    [organisationId],
  )
  expect(rows).toEqual([{ entries: 2 * OBJECTS }])
}, 120_000)
