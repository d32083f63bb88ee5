import { newId } from '@payments/kernel'
import { post, trialBalance } from '@payments/ledger'
import { expect, test } from 'vitest'
import { bookOf, enabledCustomer, foundOrganisation, useService } from '#testing'
import { blank, type TransferRow } from '../entity.ts'
import { credited, givenBack, hold, paid, suspended } from './journal.ts'

const service = useService()

/** A customer with this balance, and what the journal says of the organisation. */
async function newBooks(balance = 0n) {
  const organisationId = await foundOrganisation(service.runtime)
  const customerId = await enabledCustomer(service.runtime, organisationId, balance)
  const book = bookOf(service.runtime, organisationId)
  const row = (given: Partial<TransferRow>) =>
    ({ ...blank, id: newId(), kind: 'withdrawal', customerId, ...given }) as TransferRow
  const balances = async () => {
    const lines = await trialBalance(book.read(), organisationId)
    return Object.fromEntries(
      lines
        .filter((line) => line.balance !== '0')
        .map((line) => [`${line.purpose} ${line.asset}`, Number(line.balance)]),
    )
  }
  const ofCustomer = async () => {
    const { rows } = await service.runtime.pool.query<{ purpose: string; customer: boolean }>(
      'select purpose, customer_id = $2 as customer from ledger_accounts where organisation_id = $1 and customer_id is not null',
      [organisationId, customerId],
    )
    return rows
      .filter(({ customer }) => customer)
      .map(({ purpose }) => purpose)
      .sort()
  }
  return { ...book, row, balances, ofCustomer }
}

test('what an object sends is reserved once; more than the balance is refused with the error of cNGN', async () => {
  const books = await newBooks(1000n)
  const row = books.row({ kind: 'payout' })
  for (let times = 0; times < 2; times++) await books.do((unit) => hold(unit, row, 600n))
  expect(await books.balances()).toEqual({ 'external cNGN': -1000, 'available cNGN': 400, 'reserved cNGN': 600 })
  await expect(books.do((unit) => hold(unit, books.row({}), 401n))).rejects.toMatchObject({
    code: 'cngn_insufficient_balance',
    status: 422,
  })
  const { rows } = await service.runtime.pool.query('select source_type from ledger_entries where source_id = $1', [
    row.id,
  ])
  expect(rows).toEqual([{ source_type: 'cngn_payout' }])
})

test('what was sent leaves, less the fee; with no fee there is no posting of it', async () => {
  const books = await newBooks(1000n)
  for (const fee of [10n, 0n]) {
    const row = books.row({ amount: 400n, fee })
    await books.do((unit) => hold(unit, row, 400n))
    await books.do((unit) => paid(unit, row))
  }
  expect(await books.balances()).toEqual({ 'external cNGN': -210, 'available cNGN': 200, 'fees cNGN': 10 })
  expect(await books.ofCustomer()).toEqual(['available', 'reserved'])
})

test('a conversion out goes through the exchange, and each asset sums to zero', async () => {
  const books = await newBooks(1000n)
  const row = books.row({ kind: 'convert', amount: 400n, fee: 10n, toCurrency: 'USDC', convertedAmount: 3n })
  await books.do((unit) => hold(unit, row, 400n))
  await books.do((unit) => paid(unit, row))
  expect(await books.balances()).toEqual({
    'external cNGN': -1000,
    'available cNGN': 600,
    'fees cNGN': 10,
    'exchange cNGN': 390,
    'exchange USDC': -3,
    'external USDC': 3,
  })
})

test('money that came back is free again, less what the provider kept', async () => {
  for (const kept of [0n, 30n]) {
    const books = await newBooks(1000n)
    const row = books.row({ amount: 400n })
    await books.do((unit) => hold(unit, row, 400n))
    await books.do((unit) => givenBack(unit, row, kept))
    expect(await books.balances()).toEqual({
      'external cNGN': -1000,
      'available cNGN': 1000 - Number(kept),
      ...(kept ? { 'fees cNGN': 30 } : {}),
    })
  }
})

test('money that arrived is the customer’s, less the fee, once', async () => {
  const books = await newBooks()
  const row = books.row({ kind: 'payin', amount: 400n, fee: 10n })
  for (let times = 0; times < 2; times++) await books.do((unit) => credited(unit, row))
  expect(await books.balances()).toEqual({ 'external cNGN': -400, 'fees cNGN': 10, 'available cNGN': 390 })
  expect(await books.ofCustomer()).toEqual(['available'])
})

test('money that arrived in another asset is converted: its fee is in that asset, and each asset sums to zero', async () => {
  const books = await newBooks()
  const row = books.row({ kind: 'convert', amount: 40n, fee: 1n, fromCurrency: 'USDC', convertedAmount: 6000n })
  await books.do((unit) => credited(unit, row))
  expect(await books.balances()).toEqual({
    'external USDC': -40,
    'fees USDC': 1,
    'exchange USDC': 39,
    'exchange cNGN': -6000,
    'available cNGN': 6000,
  })
})

test('money that belongs to no object is in suspense, less the fee, once for each receipt', async () => {
  const books = await newBooks()
  const receipt = { id: newId(), asset: 'cNGN', amount: 400n, fee: 10n }
  expect(await books.do((unit) => post(unit, suspended(receipt)))).toEqual(['posted'])
  expect(await books.balances()).toEqual({ 'external cNGN': -400, 'fees cNGN': 10, 'suspense cNGN': 390 })
  expect(suspended({ ...receipt, fee: 0n })).toMatchObject({
    source: { type: 'cngn_receipt', id: receipt.id },
    step: 'suspense',
    postings: [{ amount: -400n }, { amount: 400n }],
  })
})
