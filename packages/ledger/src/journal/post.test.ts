import { defineErrors, newId, system } from '@payments/kernel'
import { type Effect, sqlOf, type UnitOfWork } from '@payments/platform'
import { expect, test } from 'vitest'
import { bookOf, connected, foundOrganisation, own, someSource, transfer, useService } from '#testing'
import { accountId } from '../model/accounts.ts'
import { type Draft, reversalOf } from './entries.ts'
import { capture, reserve, reverse } from './holds.ts'
import { post, postWithCommit } from './post.ts'
import { balance, statement, trialBalance } from './reads.ts'

const service = useService()
const newBook = async () => bookOf(service.runtime, await foundOrganisation(service.runtime))
const outside = own('external')
const available = own('available')
const reserved = own('reserved')

async function funded(amount: bigint) {
  const book = await newBook()
  await book.do((unit) => post(unit, transfer(outside, available, amount)))
  return { ...book, has: (key = available) => balance(book.read(), key) }
}

test('an entry changes the balances of its accounts, and posting it again changes nothing', async () => {
  const book = await funded(100n)
  const draft = transfer(available, own('fees'), 30n)
  expect(await book.do((unit) => post(unit, draft))).toEqual(['posted'])
  expect(await book.do((unit) => post(unit, draft))).toEqual(['repeated'])
  expect(await book.has()).toBe(70n)
  expect(await book.has(own('fees'))).toBe(30n)
})

test('posting finds what it changes by its keys, also in a journal that is nearly empty: its plans are kept while the journal grows', async () => {
  const book = await funded(100n)
  const owner = await connected(service)
  try {
    await owner.query('analyze')
    const { rows } = await book.do(async (unit) => {
      await post(unit, transfer(available, own('fees'), 30n))
      return sqlOf(unit.em).query(
        `select relname from pg_stat_xact_user_tables where seq_scan > 0 and relname <> 'ledger_unsealed' order by relname`,
        [],
      )
    })
    expect(rows).toEqual([])
  } finally {
    await owner.end()
  }
})

test('without entries there is nothing to do, not even a statement', async () => {
  const organisationId = newId()
  expect(await post({ actor: system(organisationId, 'test') } as UnitOfWork, [])).toEqual([])
})

test('a dry run is told each posting of the entries that it would post, and none of an entry that is posted already', async () => {
  const book = await funded(100n)
  const effects: Effect[] = []
  const source = someSource()
  const draft: Draft = {
    source,
    step: 'moved',
    postings: [
      { account: available, amount: -2_500_000n },
      { account: { ...own('fees'), party: 'relay' }, amount: 2_500_000n },
      { account: reserved, amount: 0n },
    ],
  }
  await book.do((unit) => post(unit, transfer(outside, available, 2_500_000n)))
  for (let times = 0; times < 2; times++) await book.do((unit) => post(Object.assign(unit, { effects }), draft))
  expect(effects).toEqual(
    ['-2.5 USDC on available', '+2.5 USDC on fees (relay)'].map((change) => ({
      kind: 'posting',
      resourceId: source.id,
      summary: `${source.type} moved: ${change}`,
    })),
  )
})

test('a different entry with the same key is refused and changes nothing', async () => {
  const book = await funded(100n)
  const source = someSource()
  await book.do((unit) => post(unit, transfer(available, own('fees'), 30n, source)))
  await expect(book.do((unit) => post(unit, transfer(available, own('fees'), 31n, source)))).rejects.toMatchObject({
    code: 'entry_differs',
    status: 409,
  })
  expect(await book.has()).toBe(70n)
})

test('the entries of one call are posted all or none', async () => {
  const book = await funded(100n)
  const drafts = [transfer(available, own('fees'), 60n), transfer(available, own('fees'), 60n)]
  await expect(book.do((unit) => post(unit, drafts))).rejects.toMatchObject({ code: 'insufficient_balance' })
  expect(await book.has()).toBe(100n)
})

test('entries of one call that repeat or reverse each other are posted as if each had a call of its own', async () => {
  const book = await funded(100n)
  const first = transfer(available, own('fees'), 30n)
  const other = transfer(available, own('fees'), 5n)
  const reversal = reversalOf(first)
  expect(await book.do((unit) => post(unit, [first, other, first, reversal]))).toEqual([
    'posted',
    'posted',
    'repeated',
    'posted',
  ])
  expect([await book.has(), await book.has(own('fees'))]).toEqual([95n, 5n])
  expect(await book.do((unit) => post(unit, [reversal, transfer(available, own('fees'), 1n), other]))).toEqual([
    'repeated',
    'posted',
    'repeated',
  ])
  const { rows } = await service.runtime.pool.query(
    `select e.reverses = o.id as reverses_it from ledger_entries e join ledger_entries o on o.source_id = e.source_id and o.step = $2
      where e.source_id = $1 and e.reverses is not null`,
    [first.source.id, first.step],
  )
  expect(rows).toEqual([{ reverses_it: true }])
  const differs = {
    ...other,
    postings: other.postings.map(({ account, amount }) => ({ account, amount: 2n * amount })),
  }
  await expect(book.do((unit) => post(unit, [transfer(available, own('fees'), 1n), differs]))).rejects.toMatchObject({
    code: 'entry_differs',
  })
  expect(await book.has()).toBe(94n)
})

test('overdrawing an account is refused with the error of the domain that posts', async () => {
  const book = await funded(5n)
  await expect(book.do((unit) => reserve(unit, hold(6n)))).rejects.toMatchObject({
    code: 'insufficient_balance',
    status: 422,
  })
  const errors = defineErrors({
    insufficient_cngn: {
      status: 422,
      message: 'Insufficient cNGN balance',
      constraint: 'ledger_accounts_not_negative',
    },
  })
  await expect(book.do((unit) => reserve(unit, hold(6n), [errors.insufficient_cngn]))).rejects.toMatchObject({
    code: 'insufficient_cngn',
    message: 'Insufficient cNGN balance',
  })
})

test('an unbalanced entry is refused', async () => {
  const book = await funded(5n)
  const draft = {
    source: someSource(),
    step: 'moved',
    postings: [
      { account: outside, amount: -5n },
      { account: { ...available, asset: 'EURC' as const }, amount: 5n },
    ],
  }
  await expect(book.do((unit) => post(unit, draft))).rejects.toMatchObject({ code: 'entry_unbalanced' })
})

test('an entry without postings is refused', async () => {
  const book = await funded(5n)
  await expect(book.do((unit) => post(unit, transfer(available, available, 5n)))).rejects.toMatchObject({
    code: 'entry_empty',
  })
})

test('an entry that is posted with the commit is there for the next statement of its unit, and not without the commit', async () => {
  const book = await funded(100n)
  const draft = transfer(available, own('fees'), 30n)
  await book.do(async (unit) => {
    await postWithCommit(unit, draft)
    expect(await balance(unit, available)).toBe(70n)
    await postWithCommit(unit, transfer(available, own('fees'), 20n))
  })
  expect(await book.has()).toBe(50n)
  await expect(
    book.do(async (unit) => {
      await postWithCommit(unit, transfer(available, own('fees'), 20n))
      throw new Error('given up')
    }),
  ).rejects.toThrow('given up')
  expect(await book.has()).toBe(50n)
})

test('entries of one unit that are posted with the commit are all posted or none, and each error is that of the domain', async () => {
  const book = await funded(100n)
  const short = defineErrors({
    short_of_money: { status: 422, message: 'Short', constraint: 'ledger_accounts_not_negative' },
  })
  const both = (second: bigint) =>
    book.do(async (unit) => {
      await postWithCommit(unit, transfer(available, own('fees'), 60n))
      await postWithCommit(unit, transfer(available, own('fees'), second), [short.short_of_money])
    })
  await expect(both(41n)).rejects.toMatchObject({ code: 'short_of_money', status: 422 })
  expect(await book.has()).toBe(100n)
  await both(40n)
  expect([await book.has(), await book.has(own('fees'))]).toEqual([0n, 100n])
})

test('until its commit, a unit that posts with it makes no other wait for the accounts', async () => {
  const book = await funded(100n)
  await book.do(async (unit) => {
    await sqlOf(unit.em).query('select 1')
    await reserve(unit, hold(60n))
    // In another transaction, on the same accounts.
    await book.do((other) => reserve(other, hold(30n)))
  })
  expect([await book.has(), await book.has(reserved)]).toEqual([10n, 90n])
})

test('a dry run of what is posted with the commit is told the postings of entries that are new', async () => {
  const book = await funded(100n)
  const effects: Effect[] = []
  const source = someSource()
  for (let times = 0; times < 2; times++)
    await book.do((unit) =>
      postWithCommit(Object.assign(unit, { effects }), transfer(available, own('fees'), 30n, source)),
    )
  expect(effects.map(({ resourceId }) => resourceId)).toEqual([source.id, source.id])
})

const hold = (amount: bigint, source = someSource()) => ({ source, holder: { asset: 'USDC' as const }, amount })

test('a captured hold pays out once, and the remainder is returned', async () => {
  const book = await funded(100n)
  const source = someSource()
  await book.do((unit) => reserve(unit, hold(80n, source)))
  expect([await book.has(), await book.has(reserved)]).toEqual([20n, 80n])
  const to = [{ account: own('destination'), amount: 50n }]
  for (let times = 0; times < 2; times++) await book.do((unit) => capture(unit, { source, to }))
  expect([await book.has(), await book.has(reserved), await book.has(own('destination'))]).toEqual([50n, 0n, 50n])
  await expect(book.do((unit) => capture(unit, { source, to: [] }))).rejects.toMatchObject({ code: 'entry_differs' })
})

test('a hold of which nothing is paid returns the whole amount, and ends', async () => {
  const book = await funded(100n)
  const source = someSource()
  await book.do((unit) => reserve(unit, hold(80n, source)))
  await book.do((unit) => capture(unit, { source, to: [] }))
  expect(await book.has()).toBe(100n)
  const to = [{ account: own('destination'), amount: 80n }]
  await expect(book.do((unit) => capture(unit, { source, to }))).rejects.toMatchObject({ code: 'entry_differs' })
})

test('a hold cannot pay out more than its amount, even if other holds have enough', async () => {
  const book = await funded(100n)
  const source = someSource()
  await book.do((unit) => reserve(unit, hold(60n)))
  await book.do((unit) => reserve(unit, hold(10n, source)))
  const to = [{ account: own('destination'), amount: 11n }]
  await expect(book.do((unit) => capture(unit, { source, to }))).rejects.toMatchObject({ code: 'insufficient_balance' })
})

test('an entry that has the step of a hold and reserves nothing is no hold', async () => {
  const book = await funded(100n)
  const source = someSource()
  await book.do((unit) => post(unit, { ...transfer(available, own('fees'), 30n, source), step: 'reserve' }))
  await expect(book.do((unit) => capture(unit, { source, to: [] }))).rejects.toMatchObject({ code: 'entry_not_found' })
})

test('an entry is reversed once, and a reversal cannot be reversed', async () => {
  const book = await funded(100n)
  const source = someSource()
  await book.do((unit) => post(unit, transfer(available, own('fees'), 30n, source)))
  expect(await book.do((unit) => reverse(unit, { source, step: 'moved', memo: 'typed wrong' }))).toBe('posted')
  expect(await book.do((unit) => reverse(unit, { source, step: 'moved', memo: 'typed wrong' }))).toBe('repeated')
  expect(await book.has()).toBe(100n)
  const { rows } = await service.runtime.pool.query(
    'select step, memo from ledger_entries where source_id = $1 order by step',
    [source.id],
  )
  expect(rows).toEqual([
    { step: 'moved', memo: null },
    { step: 'moved.reversal', memo: 'typed wrong' },
  ])
  await expect(book.do((unit) => reverse(unit, { source, step: 'moved.reversal' }))).rejects.toMatchObject({
    code: 'entry_irreversible',
  })
  await expect(book.do((unit) => reverse(unit, { source, step: 'never' }))).rejects.toMatchObject({
    code: 'entry_not_found',
  })
})

test('a hold cannot be reversed, so that its money is not returned twice', async () => {
  const book = await funded(100n)
  const source = someSource()
  await book.do((unit) => reserve(unit, hold(30n, source)))
  await expect(book.do((unit) => reverse(unit, { source, step: 'reserve' }))).rejects.toMatchObject({
    code: 'entry_irreversible',
  })
})

test('organisations and environments never share an account', async () => {
  const [one, other] = [await funded(100n), await newBook()]
  expect(await one.has()).toBe(100n)
  expect(await balance(other.read(), available)).toBe(0n)
  const organisationId = newId()
  expect(accountId({ organisationId, environment: 'test' }, available)).not.toBe(
    accountId({ organisationId, environment: 'live' }, available),
  )
})

test('each line of a statement shows the balance after it, also on later pages, and the trial balance sums to zero', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const book = bookOf(service.runtime, organisationId)
  for (const amount of [100n, 20n, 3n]) await book.do((unit) => post(unit, transfer(outside, available, amount)))
  const id = accountId({ organisationId, environment: 'test' }, available)
  const { account, lines } = await statement(book.read(), id)
  expect(account).toMatchObject({ balance: '123', purpose: 'available', organisationId })
  expect(lines.map((line) => [line.amount, line.balanceAfter])).toEqual([
    ['3', '123'],
    ['20', '120'],
    ['100', '100'],
  ])
  const page = await statement(book.read(), id, { limit: 1, before: lines[0]?.seq ?? '' })
  expect(page.lines).toEqual([lines[1]])
  expect(await trialBalance(book.read(), organisationId)).toEqual([
    { environment: 'test', asset: 'USDC', purpose: 'available', accounts: 1, balance: '123' },
    { environment: 'test', asset: 'USDC', purpose: 'external', accounts: 1, balance: '-123' },
  ])
})

test('a statement of an account that does not exist is a 404', async () => {
  const book = await newBook()
  await expect(statement(book.read(), newId())).rejects.toMatchObject({ code: 'ledger_account_not_found', status: 404 })
})
