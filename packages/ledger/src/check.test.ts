import { newId } from '@payments/kernel'
import { Client } from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { bookOf, foundOrganisation, own, someSource, startService, type TestService, transfer } from '#testing'
import { checkLedger } from './check.ts'
import { reserve, reverse } from './holds.ts'
import { post } from './post.ts'
import { seal } from './seal.ts'

let service: TestService & { stop(): Promise<void> }
let owner: Client
let organisationId = ''

// Each test breaks the database it has, so each has its own.
beforeEach(async () => {
  service = await startService()
  owner = new Client({ connectionString: service.database.ownerUrl })
  await owner.connect()
  organisationId = await foundOrganisation(service.runtime)
  const book = bookOf(service.runtime, organisationId)
  for (let n = 1n; n <= 5n; n++) await book.do((unit) => post(unit, transfer(own('external'), own('available'), n)))
  await seal(service.runtime, 2)
  const source = someSource()
  await book.do((unit) => post(unit, transfer(own('available'), own('fees'), 3n, source)))
  await book.do((unit) => reverse(unit, { source, step: 'moved' }))
  await book.do((unit) => reserve(unit, { source: someSource(), holder: { asset: 'USDC' }, amount: 2n }))
  while (await seal(service.runtime, 2)) {
    // One batch after the other.
  }
  await book.do((unit) => post(unit, transfer(own('external'), own('available'), 9n)))
  return async () => {
    await owner.end()
    await service.stop()
  }
})

/** What somebody with every right can do: triggers off, then the statement. */
async function tamper(statement: string, values: unknown[] = []): Promise<void> {
  await owner.query('begin')
  await owner.query('set local session_replication_role = replica')
  const { rowCount } = await owner.query(statement, values)
  await owner.query('commit')
  expect(rowCount).toBeGreaterThan(0)
}

const balances = ({ amount }: { amount: string }) => [
  { purpose: 'external', asset: 'USDC', amount: -BigInt(amount) },
  { purpose: 'available', asset: 'USDC', amount: BigInt(amount) },
]
const domains = [{ name: 'swaps', receipts: { swap: { schema: z.unknown(), balances } } }]

const said = async () =>
  (await checkLedger({ pool: service.runtime.pool, domains }, { batch: 2 })).findings
    .map((finding) => finding.message)
    .join('; ')

test('an honest ledger is found in order, with its progress told', async () => {
  const told: string[] = []
  const report = await checkLedger(service.runtime, {
    batch: 2,
    progress: ({ check, walked }) => void told.push(`${check} ${walked}`),
  })
  expect(report).toMatchObject({
    ok: true,
    findings: [],
    walked: { accounts: 4, entries: 9, seals: 4, transactions: 0 },
  })
  expect(told).toContain('entries 4')
})

test('a changed balance is found', async () => {
  await tamper("update ledger_accounts set balance = balance + 1 where purpose = 'available'")
  expect(await said()).toMatch(/holds 23 USDC, its postings sum to 22/)
})

test('an account that was given to another purpose is found', async () => {
  await tamper("update ledger_accounts set purpose = 'suspense' where purpose = 'fees'")
  expect(await said()).toMatch(/not the account that its id was made for/)
})

test('changed postings are found, though they still sum to zero and their balances were changed as well', async () => {
  await tamper(`with p as (update ledger_postings set amount = amount * 2 where seq <= 2 returning account_id, amount / 2 as more)
    update ledger_accounts a set balance = balance + p.more from p where a.id = p.account_id`)
  expect(await said()).toBe('adjustment moved: is not what was booked: its digest differs')
})

test('an entry whose digest was made anew after a change breaks its seal', async () => {
  await tamper(
    `update ledger_entries set digest = repeat('a', 64) where id = (select entry_ids[1] from ledger_seals where number = 2)`,
  )
  expect(await said()).toMatch(/seal 2: its entries are not those that were sealed/)
})

test('a deleted entry is missing from its seal', async () => {
  await tamper(`with e as (delete from ledger_entries where id = (select entry_ids[1] from ledger_seals where number = 1) returning id)
    delete from ledger_postings p using e where p.entry_id = e.id`)
  expect(await said()).toMatch(/seal 1: 1 of its entries are missing/)
})

test('a deleted seal, and one made anew, break the chain', async () => {
  await tamper('delete from ledger_seals where number = 2')
  expect(await said()).toMatch(/seal 2 is missing before it.*seal 3: does not follow/)
})

test('an entry that never went through the queue is found under no seal', async () => {
  await tamper(
    `with e as (insert into ledger_entries (id, organisation_id, environment, source_type, source_id, step, digest)
                values ($1, $2, 'test', 'adjustment', $1, 'moved', repeat('0', 64)) returning id)
     select id from e`,
    [newId(), organisationId],
  )
  expect(await said()).toMatch(/has no postings.*is under no seal/)
})

test('an entry that is sealed twice is found', async () => {
  await tamper(
    'insert into ledger_unsealed select organisation_id, environment, entry_ids[1] from ledger_seals where number = 1',
  )
  expect(await said()).toBe('is sealed 2 times')
})

test('a reversal that is not the opposite of what it reverses is found', async () => {
  await tamper(
    `update ledger_postings set amount = amount * 2 where entry_id = (select id from ledger_entries where reverses is not null)`,
  )
  expect(await said()).toMatch(/not the opposite of what it reverses/)
})

describe('the list', () => {
  const id = newId()
  beforeEach(async () => {
    await tamper(
      `insert into transactions (id, organisation_id, environment, kind, status, destination, amount, receipt, created_at, updated_at)
       values ($1, $2, 'test', 'swap', 'completed', '', '', '{"amount": "7"}', now(), now())`,
      [id, organisationId],
    )
  })

  test('an object that should have moved money and did not is found, and one that nobody counted', async () => {
    expect(await said()).toBe(
      'swap completed: the receipt implies available 7 USDC, external -7 USDC; the journal has nothing; counts 0 transactions, the list has 1',
    )
  })

  test('an object that is gone from the list is found by its entries', async () => {
    const book = bookOf(service.runtime, organisationId)
    await book.do((unit) => post(unit, transfer(own('external'), own('available'), 7n, { type: 'swap', id: newId() })))
    expect(await said()).toMatch(/swap moved: its object .* is not in the list/)
  })
})
