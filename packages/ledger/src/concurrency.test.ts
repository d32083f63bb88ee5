import { ServiceError } from '@payments/kernel'
import { expect, test } from 'vitest'
import { bookOf, foundOrganisation, own, transfer, useService } from '#testing'
import { checkLedger } from './journal/check/check.ts'
import { post, postWithCommit } from './journal/post.ts'
import { balance } from './journal/reads.ts'
import type { AccountKey } from './model/accounts.ts'

const CLIENTS = 32
const ACCOUNTS = 50
const STEPS = 40
const FUNDS = 500n

const service = useService({ settings: { DATABASE_POOL: '40' } })

const randomBelow = (n: number) => Math.floor(Math.random() * n)
const account = (n: number): AccountKey => own('available', `p${n}`)

test('32 clients that transfer between 50 accounts lose no update, and the totals are constant at all times', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const book = bookOf(service.runtime, organisationId)
  const accounts = Array.from({ length: ACCOUNTS }, (_, n) => account(n))
  await book.do((unit) =>
    post(
      unit,
      accounts.map((key) => transfer(own('external'), key, FUNDS)),
    ),
  )

  const expected = accounts.map(() => FUNDS)
  let units = 0
  let runs = 0
  let refused = 0
  let moving = true

  const client = async () => {
    for (let step = 0; step < STEPS; step++) {
      // Up to three entries in one unit, in any order: the accounts must still be locked in one order.
      const moves = Array.from({ length: 1 + randomBelow(3) }, () => {
        const from = randomBelow(ACCOUNTS)
        return { from, to: (from + 1 + randomBelow(ACCOUNTS - 1)) % ACCOUNTS, amount: BigInt(1 + randomBelow(400)) }
      })
      const drafts = moves.map(({ from, to, amount }) => transfer(account(from), account(to), amount))
      units++
      try {
        await book.do((unit) => {
          runs++
          return post(unit, drafts)
        })
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'insufficient_balance') throw error
        refused++
        continue
      }
      for (const { from, to, amount } of moves) {
        expected[from] = (expected[from] ?? 0n) - amount
        expected[to] = (expected[to] ?? 0n) + amount
      }
    }
  }

  let reads = 0
  const reader = async () => {
    while (moving) {
      const { rows } = await service.runtime.pool.query<{ held: string; all: string; posted: string }>(
        `select sum(balance) filter (where purpose = 'available')::text as held, sum(balance)::text as all,
                (select sum(amount)::text from ledger_postings p join ledger_accounts a on a.id = p.account_id
                  where a.organisation_id = $1 and a.purpose = 'available') as posted
           from ledger_accounts where organisation_id = $1`,
        [organisationId],
      )
      const held = (BigInt(ACCOUNTS) * FUNDS).toString()
      expect(rows[0]).toEqual({ held, all: '0', posted: held })
      reads++
    }
  }

  const readers = [reader(), reader()]
  try {
    await Promise.all(Array.from({ length: CLIENTS }, client))
  } finally {
    moving = false
  }
  await Promise.all(readers)

  const context = book.read()
  expect(await Promise.all(accounts.map((key) => balance(context, key)))).toEqual(expected)
  expect(reads).toBeGreaterThan(0)
  expect(refused).toBeLessThan(units)
  // A deadlock would have run a unit again.
  expect(runs).toBe(units)
  expect((await checkLedger(service.runtime)).findings).toEqual([])
}, 120_000)

test('the same entry from 32 concurrent clients is posted once', async () => {
  const book = bookOf(service.runtime, await foundOrganisation(service.runtime))
  const draft = transfer(own('external'), own('available'), 7n)
  const outcomes = await Promise.all(Array.from({ length: CLIENTS }, () => book.do((unit) => post(unit, draft))))
  expect(outcomes.flat().filter((outcome) => outcome === 'posted')).toHaveLength(1)
  expect(await balance(book.read(), own('available'))).toBe(7n)
})

test('the same entry from 32 concurrent clients is posted once, with whichever commit', async () => {
  const book = bookOf(service.runtime, await foundOrganisation(service.runtime))
  const draft = transfer(own('external'), own('available'), 7n)
  await Promise.all(Array.from({ length: CLIENTS }, () => book.do((unit) => postWithCommit(unit, draft))))
  expect(await balance(book.read(), own('available'))).toBe(7n)
})

test('units that post the same accounts in another order with their commits never wait for each other in a circle', async () => {
  const book = bookOf(service.runtime, await foundOrganisation(service.runtime))
  let runs = 0
  await Promise.all(
    Array.from({ length: CLIENTS }, (_, client) =>
      book.do(async (unit) => {
        runs++
        const names = client % 2 === 0 ? ['one', 'other'] : ['other', 'one']
        for (const name of names)
          await postWithCommit(unit, transfer(own('external', name), own('available', name), 1n))
      }),
    ),
  )
  // A deadlock would have run a unit again.
  expect(runs).toBe(CLIENTS)
  expect(await balance(book.read(), own('available', 'one'))).toBe(BigInt(CLIENTS))
})

test('units that create accounts at once with others that use them wait for each other in one order: none is run again', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const book = bookOf(service.runtime, organisationId)
  const known = [account(0), account(1)]
  await book.do((unit) =>
    post(
      unit,
      known.map((key) => transfer(own('external'), key, FUNDS)),
    ),
  )
  let runs = 0
  const units = 60 * CLIENTS
  for (let round = 0; round < 60; round++) {
    // Some ids of new accounts are lower than those of the known ones, some higher.
    const fresh = own('external', `r${round}`)
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, n) => {
        await new Promise((resolve) => setTimeout(resolve, randomBelow(12)))
        await book.do((unit) => {
          runs++
          return post(unit, transfer(fresh, known[n % 2] as AccountKey, 1n))
        })
      }),
    )
  }
  expect(runs).toBe(units)
})
