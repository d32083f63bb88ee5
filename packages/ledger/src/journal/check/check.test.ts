import { newId } from '@payments/kernel'
import { type Domain, recordReport } from '@payments/platform'
import { Client } from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { bookOf, foundOrganisation, own, someSource, startService, type TestService, transfer } from '#testing'
import { countedTransactions } from '../../schema/list.ts'
import { reserve, reverse } from '../holds.ts'
import { post } from '../post.ts'
import { seal } from '../seal.ts'
import { checkLedger } from './check.ts'

let service: TestService & { stop(): Promise<void> }
let owner: Client
let organisationId = ''

// Each test corrupts its database, so each has its own.
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
    // Seals one batch after another.
  }
  await book.do((unit) => post(unit, transfer(own('external'), own('available'), 9n)))
  return async () => {
    await owner.end()
    await service.stop()
  }
})

/** Changes data as a superuser can: with triggers disabled. */
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
const evidence = ({ amount }: { amount: string }) => ({
  received: { asset: 'USDC', amount: BigInt(amount) },
  refunded: { asset: 'USDC', amount: 0n },
})
const domains: Domain[] = [
  { name: 'ledger', data: { counted: { transactions: countedTransactions } } },
  {
    name: 'swaps',
    money: { receipts: { swap: { schema: z.unknown(), balances, evidence, outcomes: { succeeded: [], failed: [] } } } },
  },
]

const findings = async () =>
  (await checkLedger({ pool: service.runtime.pool, domains }, { batch: 2 })).findings
    .map((finding) => finding.message)
    .join('; ')

test('the check of a consistent ledger has no findings and reports its progress', async () => {
  const progress: string[] = []
  const report = await checkLedger(service.runtime, {
    batch: 2,
    progress: ({ check, walked }) => void progress.push(`${check} ${walked}`),
  })
  expect(report).toMatchObject({
    ok: true,
    findings: [],
    walked: { accounts: 4, entries: 9, seals: 4, transactions: 0 },
  })
  expect(progress).toContain('entries 4')
})

test('a changed balance is found', async () => {
  await tamper("update ledger_accounts set balance = balance + 1 where purpose = 'available'")
  expect(await findings()).toMatch(/holds 23 USDC, its postings sum to 22/)
})

test('an account with money of others that is negative is found, although its postings and balance agree', async () => {
  const book = bookOf(service.runtime, organisationId)
  await book.do((unit) => post(unit, transfer(own('suspense'), own('external'), 7n)))
  expect(await findings()).toBe('suspense holds -7 USDC: more left than came')
})

test('an account whose purpose was changed is found', async () => {
  await tamper("update ledger_accounts set purpose = 'suspense' where purpose = 'fees'")
  expect(await findings()).toMatch(/has an id that does not match its owner, asset, purpose and party/)
})

test('changed postings are found although they sum to zero and the balances were changed with them', async () => {
  await tamper(`with p as (update ledger_postings set amount = amount * 2 where seq <= 2 returning account_id, amount / 2 as more)
    update ledger_accounts a set balance = balance + p.more from p where a.id = p.account_id`)
  expect(await findings()).toBe(
    'adjustment moved: does not match its digest; balance_days has received 24, paid 0, fees 0, its rows are received 25, paid 0, fees 0',
  )
})

test('an entry whose digest was recomputed after a change does not match its seal', async () => {
  await tamper(
    `update ledger_entries set digest = repeat('a', 64) where id = (select entry_ids[1] from ledger_seals where number = 2)`,
  )
  expect(await findings()).toMatch(/seal 2: its hash does not match its entries/)
})

test('a deleted entry is reported as missing from its seal', async () => {
  await tamper(`with e as (delete from ledger_entries where id = (select entry_ids[1] from ledger_seals where number = 1) returning id)
    delete from ledger_postings p using e where p.entry_id = e.id`)
  expect(await findings()).toMatch(/seal 1: 1 of its entries are missing/)
})

test('a deleted seal breaks the chain', async () => {
  await tamper('delete from ledger_seals where number = 2')
  expect(await findings()).toMatch(/seal 2 is missing before it.*seal 3: does not continue/)
})

test('an entry that was never queued for sealing is found', async () => {
  await tamper(
    `with e as (insert into ledger_entries (id, organisation_id, environment, source_type, source_id, step, digest)
                values ($1, $2, 'test', 'adjustment', $1, 'moved', repeat('0', 64)) returning id)
     select id from e`,
    [newId(), organisationId],
  )
  expect(await findings()).toMatch(/has no postings.*is neither sealed nor queued/)
})

test('an entry that is sealed twice is found', async () => {
  await tamper(
    'insert into ledger_unsealed select organisation_id, environment, entry_ids[1] from ledger_seals where number = 1',
  )
  expect(await findings()).toBe('is sealed 2 times')
})

test('a reversal that is not the opposite of the entry that it reverses is found', async () => {
  await tamper(
    `update ledger_postings set amount = amount * 2 where entry_id = (select id from ledger_entries where reverses is not null)`,
  )
  expect(await findings()).toMatch(/not the opposite of the entry that it reverses/)
})

describe('the list of transactions', () => {
  const id = newId()
  beforeEach(async () => {
    await tamper(
      `insert into transactions (id, organisation_id, environment, kind, status, destination, currency, receipt, created_at, updated_at)
       values ($1, $2, 'test', 'swap', 'completed', '', 'USDC', '{"amount": "7"}', now(), now())`,
      [id, organisationId],
    )
  })

  test('a transaction without the entries that its receipt implies is found, and one that is not counted in the total', async () => {
    expect(await findings()).toBe(
      'swap completed: the receipt implies available 7 USDC, external -7 USDC; the journal has nothing; counts 0 transactions, there are 1; transaction_days has count 0, amount 0, its rows are count 1, amount 0',
    )
  })

  test('a row that cannot be read is found, and the rest is checked all the same', async () => {
    await tamper(`update transactions set receipt = '{"amount": "seven"}' where id = $1`, [id])
    await tamper("update ledger_accounts set balance = balance + 1 where purpose = 'available'")
    expect(await findings()).toMatch(
      /holds 23 USDC, its postings sum to 22; .*cannot be read: .*seven.*; counts 0 transactions, there are 1/,
    )
  })

  test('a receipt that agrees with the journal but not with what the provider reported last is found', async () => {
    const book = bookOf(service.runtime, organisationId)
    await book.do(async (unit) => {
      await post(unit, transfer(own('external'), own('available'), 7n, { type: 'swap', id }))
      recordReport(unit, {
        organisationId,
        environment: 'test',
        resourceType: 'swap',
        resourceId: id,
        provider: 'jupiter',
        report: {},
        amounts: { received: { asset: 'USDC', amount: 5n }, delivered: { asset: 'EURC', amount: 1n } },
      })
    })
    expect(await findings()).toMatch(
      /^swap completed: the receipt says received 7 USDC; the provider reported 5 USDC; counts/,
    )
  })

  test('entries whose transaction is missing from the list are found', async () => {
    const book = bookOf(service.runtime, organisationId)
    await book.do((unit) => post(unit, transfer(own('external'), own('available'), 7n, { type: 'swap', id: newId() })))
    expect(await findings()).toMatch(/swap moved: its transaction .* is not in the list/)
  })
})
