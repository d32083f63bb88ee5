import { newId } from '@payments/kernel'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bookOf, foundOrganisation, own, transfer, useService } from '#testing'
import { post } from './journal/post.ts'
import { seal } from './journal/seal.ts'
import { accountId } from './model/accounts.ts'

const service = useService()

describe.each(['service role', 'owner'] as const)('as the %s', (role) => {
  let db: Client
  let organisationId = ''
  let from = ''
  let to = ''
  let customerId = ''

  beforeAll(async () => {
    const { serviceUrl, ownerUrl } = service.database
    db = new Client({ connectionString: role === 'owner' ? ownerUrl : serviceUrl })
    await db.connect()
    organisationId = await foundOrganisation(service.runtime)
    customerId = newId()
    await db.query(
      `insert into customers (id, organisation_id, environment, name, email, metadata, parts, created_at, updated_at)
       values ($1, $2, 'test', 'Ada', 'ada@example.com', '{}', '{"cngn": {"status": "not_enabled", "failureReason": null}}', now(), now())`,
      [customerId, organisationId],
    )
    const book = bookOf(service.runtime, organisationId)
    await book.do((unit) => post(unit, transfer(own('external'), own('available'), 100n)))
    await book.do((unit) => post(unit, { ...transfer(own('fees'), own('suspense'), 1n) }))
    await seal(service.runtime)
    from = accountId({ organisationId, environment: 'test' }, own('external'))
    to = accountId({ organisationId, environment: 'test' }, own('available'))
  })
  afterAll(() => db.end())

  /** Inserts an entry with these postings ([account, asset, amount]) by plain SQL, and rolls back. */
  async function book(postings: [string, string, number][], organisation = organisationId): Promise<void> {
    await db.query('begin')
    try {
      const id = newId()
      await db.query(
        `insert into ledger_entries (id, organisation_id, environment, source_type, source_id, step, digest)
         values ($1, $2, 'test', 'adjustment', $3, 'moved', repeat('0', 64))`,
        [id, organisation, newId()],
      )
      const rows = postings.map(([account, asset, amount]) => ({ account, asset, amount }))
      await db.query(
        `insert into ledger_postings (organisation_id, environment, entry_id, account_id, asset, amount)
         select $1, 'test', $2, p.account, p.asset, p.amount from jsonb_to_recordset($3) as p (account uuid, asset text, amount numeric)`,
        [organisation, id, JSON.stringify(rows)],
      )
    } finally {
      await db.query('rollback')
    }
  }

  test('a balanced entry is accepted, so the refusals below have their own reasons', () =>
    book([
      [from, 'USDC', -1],
      [to, 'USDC', 1],
    ]))

  test('postings that do not sum to zero are refused', () =>
    expect(
      book([
        [from, 'USDC', -2],
        [to, 'USDC', 1],
      ]),
    ).rejects.toMatchObject({ constraint: 'ledger_postings_balanced' }))

  test("a posting in another asset than its account's is refused", () =>
    expect(
      book([
        [from, 'EURC', -1],
        [to, 'EURC', 1],
      ]),
    ).rejects.toMatchObject({ constraint: 'ledger_postings_asset_fkey' }))

  test("a posting on another organisation's account is refused", async () => {
    const other = await foundOrganisation(service.runtime)
    await expect(
      book(
        [
          [from, 'USDC', -1],
          [to, 'USDC', 1],
        ],
        other,
      ),
    ).rejects.toMatchObject({ constraint: 'ledger_postings_asset_fkey' })
  })

  test('a balance below zero is refused for an account that may not be overdrawn', () =>
    expect(
      book([
        [from, 'USDC', 101],
        [to, 'USDC', -101],
      ]),
    ).rejects.toMatchObject({ constraint: 'ledger_accounts_not_negative' }))

  test('a posted entry accepts no further postings', () =>
    expect(
      db.query(
        `with e as (select id, organisation_id from ledger_entries where organisation_id = $1 and id in
                     (select entry_id from ledger_postings where account_id = $2) limit 1)
         insert into ledger_postings (organisation_id, environment, entry_id, account_id, asset, amount)
         select e.organisation_id, 'test', e.id, a.id, a.asset, case a.purpose when 'fees' then 1 else -1 end
           from e join ledger_accounts a on a.organisation_id = e.organisation_id and a.purpose in ('fees', 'suspense')`,
        [organisationId, to],
      ),
    ).rejects.toMatchObject({ constraint: 'ledger_postings_closed' }))

  test.each([
    'update ledger_postings set amount = amount * 2',
    'update ledger_entries set memo = null',
    'update ledger_seals set hash = previous_hash',
    'update ledger_accounts set balance = balance',
    'delete from ledger_postings',
    'delete from ledger_entries',
    'delete from ledger_accounts',
    'delete from ledger_seals',
    'truncate ledger_postings',
    'truncate ledger_entries cascade',
    'truncate ledger_seals',
    'delete from transactions',
    'update transactions set customer_id = null',
  ])('%s is refused', (statement) => expect(db.query(statement)).rejects.toThrow(/refused|permission denied/))

  test('an account cannot be created with a balance', () =>
    expect(
      db.query(
        `insert into ledger_accounts (id, organisation_id, environment, asset, purpose, party, balance)
         values ($1, $2, 'test', 'USDC', 'available', 'other', 5)`,
        [newId(), organisationId],
      ),
    ).rejects.toThrow(/refused/))

  test("an account of another organisation's customer is refused", async () => {
    const other = await foundOrganisation(service.runtime)
    await expect(
      db.query(
        `insert into ledger_accounts (id, organisation_id, environment, customer_id, asset, purpose, party)
         values ($1, $2, 'test', $3, 'USDC', 'available', '')`,
        [newId(), other, customerId],
      ),
    ).rejects.toMatchObject({ code: '23503' })
  })
})

test("the service's role cannot change the totals of the list", () =>
  expect(service.runtime.pool.query('update record_counts set count = 0')).rejects.toThrow(/permission denied/))
