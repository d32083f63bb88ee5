import { type AssetSymbol, assets, dayIn, newId, system, toMinor } from '@payments/kernel'
import { Client } from 'pg'
import { extractText, getDocumentProxy } from 'unpdf'
import { expect, onTestFinished, test } from 'vitest'
import { bookOf, dyingEverywhere, enabledCustomer, foundOrganisation, newMerchant, useService } from '#testing'
import { capture, reserve } from '../journal/holds.ts'
import { post } from '../journal/post.ts'
import { type AccountKey, accountId } from '../model/accounts.ts'
import { balanceDays } from '../schema/days.ts'
import { keepSums, sumProblems } from '../schema/sums.ts'
import { monthOf } from './period.ts'

const service = useService({ settings: { DATABASE_POOL: '20' } })

const read = (
  organisationId: string,
  input: { month?: string; timeZone?: string; asset?: string; customerId?: string | undefined } = {},
) => service.process.createCaller(system(organisationId, 'test')).reports.statement(input)
const pick = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)] as T
const cngn = (purpose: AccountKey['purpose'], customerId?: string): AccountKey => ({
  purpose,
  asset: 'cNGN',
  ...(customerId ? { customerId } : {}),
})

const owner = async () => {
  const client = new Client({ connectionString: service.database.ownerUrl })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** What the journal says that is held for an organisation, or a customer, in minor units. */
async function held(organisationId: string, customerId?: string): Promise<string> {
  const { rows } = await service.runtime.pool.query<{ units: string }>(
    `select coalesce(sum(balance), 0)::text as units from ledger_accounts
      where organisation_id = $1 and asset = 'cNGN' and purpose in ('available', 'reserved') and ($2::uuid is null or customer_id = $2)`,
    [organisationId, customerId ?? null],
  )
  return rows[0]?.units ?? '0'
}

const today = () => new Date().toISOString().slice(0, 10)

test('what a customer is paid and pays is in the statement before fees, and what is reserved is held until it leaves', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const customerId = await enabledCustomer(service.runtime, organisationId)
  const other = await enabledCustomer(service.runtime, organisationId, 7_000_000n)
  const { do: book } = bookOf(service.runtime, organisationId)
  const day = today()
  const payin = {
    source: { type: 'cngn_payin', id: newId() },
    step: 'credited',
    postings: [
      { account: cngn('external'), amount: -1_000_000_000n },
      { account: cngn('fees'), amount: 1_000_000n },
      { account: cngn('available', customerId), amount: 999_000_000n },
    ],
  }
  await book((unit) => post(unit, payin))
  const ofCustomer = async () => (await read(organisationId, { customerId })).statements[0]
  const arrived = { openingBalance: '0', in: '1000', out: '0', fees: '1', closingBalance: '999' }
  expect(await ofCustomer()).toMatchObject(arrived)
  const source = { type: 'cngn_payout', id: newId() }
  await book((unit) => reserve(unit, { source, holder: { asset: 'cNGN', customerId }, amount: 400_000_000n }))
  expect(await ofCustomer()).toMatchObject(arrived)
  const [fee, rest] = [cngn('fees'), cngn('external')]
  const to = [
    { account: fee, amount: 500_000n },
    { account: rest, amount: 399_500_000n },
  ]
  await book((unit) => capture(unit, { source, to }))
  expect(await read(organisationId, { customerId })).toEqual({
    ...{ timeZone: 'UTC', ...monthOf(), customerId },
    statements: [
      {
        ...{ asset: 'cNGN', openingBalance: '0', in: '1000', out: '399.5', fees: '1.5', closingBalance: '599' },
        lines: [
          { date: day, kind: 'cngn_payin', in: '1000', out: '0', fees: '1', balance: '599' },
          { date: day, kind: 'cngn_payout', in: '0', out: '399.5', fees: '0.5', balance: '599' },
        ],
      },
    ],
  })
  expect(await held(organisationId, customerId)).toBe('599000000')
  expect((await read(organisationId, { asset: 'cNGN' })).statements).toMatchObject([{ closingBalance: '606' }])
  expect((await read(organisationId, { customerId: other })).statements).toMatchObject([{ closingBalance: '7' }])
  expect((await read(organisationId, { asset: 'USDC' })).statements).toEqual([])
  expect((await read(await foundOrganisation(service.runtime), { customerId })).statements).toEqual([])
})

test('every day and month of hundreds of parallel entries agrees with the journal to the unit, for all and for each customer', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const customers = await Promise.all(
    Array.from({ length: 5 }, () => enabledCustomer(service.runtime, organisationId, 1n)),
  )
  await bookOf(service.runtime, organisationId).do((unit) =>
    post(unit, {
      source: { type: 'adjustment', id: newId() },
      step: 'moved',
      postings: [
        { account: cngn('external'), amount: -5_000_000_003n },
        { account: cngn('fees'), amount: 3n },
        ...customers.map((id) => ({ account: cngn('available', id), amount: 1_000_000_000n })),
      ],
    }),
  )
  const of = (key: AccountKey) => accountId({ organisationId, environment: 'test' }, key)
  /** An entry of a past day, as the journal would hold it. */
  const entry = async (client: Client, [from, to]: [string, string], createdAt: string) => {
    const id = newId()
    const amount = 1 + Math.floor(Math.random() * 1000)
    const fee = Math.random() < 0.5 ? 1 + Math.floor(Math.random() * 5) : 0
    await client.query('begin')
    // In one order, as `ledger_post` does.
    await client.query('select from ledger_accounts where id = any ($1) order by id for no key update', [
      [from, to, of(cngn('fees'))],
    ])
    await client.query(
      `insert into ledger_entries (id, organisation_id, environment, source_type, source_id, step, digest, created_at)
       values ($1, $2, 'test', $3, $4, 'moved', repeat('0', 64), $5)`,
      [id, organisationId, pick(['cngn_payin', 'cngn_payout']), newId(), createdAt],
    )
    await client.query(
      `insert into ledger_postings (organisation_id, environment, entry_id, account_id, asset, amount)
       select $1, 'test', $2, p.account, 'cNGN', p.amount from jsonb_to_recordset($3) as p (account uuid, amount numeric)
        where p.amount <> 0 order by p.account`,
      [
        organisationId,
        id,
        JSON.stringify([
          { account: from, amount: -amount - fee },
          { account: to, amount },
          { account: of(cngn('fees')), amount: fee },
        ]),
      ],
    )
    await client.query('commit')
  }
  const places = [cngn('external'), ...customers.map((id) => cngn('available', id))].map(of)
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      const client = await owner()
      for (let step = 0; step < 150; step++) {
        const from = pick(places)
        const to = pick(places.filter((place) => place !== from))
        const day = `2026-0${pick([1, 2])}-${pick(['01', '10', '28'])}T${pick(['00:00:00.000', '23:59:59.999'])}Z`
        await entry(client, [from, to], day)
      }
    }),
  )
  expect(await sumProblems(service.runtime.pool, balanceDays)).toEqual([])
  for (const customerId of [undefined, ...customers]) {
    /** What the journal held at the end of a day, from the postings themselves. */
    const heldAt = async (day: string, timeZone: string) => {
      const { rows } = await service.runtime.pool.query<{ units: string }>(
        `select coalesce(sum(p.amount), 0)::text as units from ledger_postings p
           join ledger_accounts a on a.id = p.account_id join ledger_entries e on e.id = p.entry_id
          where a.organisation_id = $1 and a.purpose in ('available', 'reserved') and ($2::uuid is null or a.customer_id = $2)
            and e.created_at < ($3::date + 1)::timestamp at time zone $4`,
        [organisationId, customerId ?? null, day, timeZone],
      )
      return BigInt(rows[0]?.units ?? 0)
    }
    // Before the money that these entries move has come, a balance is below zero.
    const units = (text = '0') => (text.startsWith('-') ? -1n : 1n) * toMinor(text.replace('-', ''), assets.cNGN)
    const zones = ['UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Kiritimati']
    const months = zones.flatMap((timeZone) => {
      const now = dayIn(timeZone, new Date())
      const ended = new Date(`${now.slice(0, 7)}-01`)
      return [
        [{ month: '2026-01', timeZone }, '2025-12-31', '2026-01-31'],
        [{ month: '2026-02', timeZone }, '2026-01-31', '2026-02-28'],
        [{ timeZone }, new Date(ended.getTime() - 1).toISOString().slice(0, 10), now],
      ] as const
    })
    for (const [input, before, last] of months) {
      const { timeZone } = input
      const [found] = (await read(organisationId, { ...input, customerId })).statements
      expect(units(found?.openingBalance), timeZone).toBe(await heldAt(before, timeZone))
      expect(units(found?.closingBalance), timeZone).toBe(await heldAt(last, timeZone))
      // All that are shown, not the last of each day alone.
      const shown = new Set(found?.lines.map(({ date, balance }) => `${date} ${balance}`))
      for (const [date = '', balance] of [...shown].map((each) => each.split(' ')))
        expect(units(balance), date).toBe(await heldAt(date, timeZone))
      const moved = units(found?.in) - units(found?.out) - units(found?.fees)
      expect(units(found?.openingBalance) + moved).toBe(units(found?.closingBalance))
    }
    expect(`${await heldAt(today(), 'UTC')}`).toBe(await held(organisationId, customerId))
  }
})

test('a connection that is lost before any statement of a posting leaves the statement as it was, and a repeated entry adds nothing', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const customerId = await enabledCustomer(service.runtime, organisationId, 5_000_000n)
  const draft = {
    source: { type: 'cngn_payin', id: newId() },
    step: 'credited',
    postings: [
      { account: cngn('external'), amount: -2_000_000n },
      { account: cngn('available', customerId), amount: 2_000_000n },
    ],
  }
  // The pool can still hold the connection that was lost.
  const db = await owner()
  const closing = async () => {
    const { rows } = await db.query<{ units: string }>(
      'select sum(received - paid - fees)::text as units from balance_days where organisation_id = $1 and scope = $2',
      [organisationId, customerId],
    )
    return rows[0]?.units
  }
  await dyingEverywhere(
    service,
    (runtime) => bookOf(runtime, organisationId).do((unit) => post(unit, draft)),
    async (cut) => expect(await closing()).toBe(cut === null ? '7000000' : '5000000'),
  )
  await bookOf(service.runtime, organisationId).do((unit) => post(unit, draft))
  expect(await closing()).toBe('7000000')
})

test('the migration adds the entries of before, in an asset of any decimals', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const db = await owner()
  const { up } = keepSums(balanceDays)
  await db.query('drop trigger sum_ledger_postings_insert on ledger_postings')
  await db.query('delete from balance_days')
  const asset: AssetSymbol = 'ETH'
  const postings = [
    { account: { purpose: 'external', asset } as const, amount: -1_000_000_000_000_000_001n },
    { account: { purpose: 'available', asset } as const, amount: 1_000_000_000_000_000_001n },
  ]
  const source = { type: 'adjustment', id: newId() }
  await bookOf(service.runtime, organisationId).do((unit) => post(unit, { source, step: 'moved', postings }))
  for (let times = 0; times < 2; times++) {
    for (const statement of up) await db.query(statement)
    expect(await sumProblems(service.runtime.pool, balanceDays)).toEqual([])
    expect((await read(organisationId)).statements).toMatchObject([
      { asset, in: '1.000000000000000001', closingBalance: '1.000000000000000001' },
    ])
  }
})

test('a statement is of a month, by default of this one', async () => {
  expect(monthOf(undefined, '2026-12-05')).toEqual({ from: '2026-12-01', to: '2026-12-31' })
  expect(monthOf('2028-02', '2026-12-05')).toEqual({ from: '2028-02-01', to: '2028-02-29' })
  const merchant = await newMerchant(service)
  const wrong = async (parameters: string) =>
    (await merchant.call(`GET /v1/reports/statement?${parameters}`)).body.errors
  expect(await wrong('month=2026-13')).toEqual({ month: 'Must be a month, such as 2026-01' })
  expect(await wrong('customerId=nobody')).toEqual({ customerId: 'Must be a UUID' })
})

test('the files of a statement have the numbers of the statement, and the closing balance is that of the journal', async () => {
  const merchant = await newMerchant(service)
  const { organisationId } = merchant
  const customerId = await enabledCustomer(service.runtime, organisationId, 1_234_567n)
  await bookOf(service.runtime, organisationId).do((unit) =>
    post(unit, {
      source: { type: 'cngn_payin', id: newId() },
      step: 'credited',
      postings: [
        { account: cngn('external'), amount: -2_000_000n },
        { account: cngn('fees'), amount: 1n },
        { account: cngn('available', customerId), amount: 1_999_999n },
      ],
    }),
  )
  const month = today().slice(0, 7)
  const { statements } = await read(organisationId, { month, customerId })
  const csv = await merchant.call(`GET /v1/reports/statement/export?month=${month}&customerId=${customerId}`)
  expect([csv.status, csv.headers.get('content-type'), csv.headers.get('content-disposition')]).toEqual([
    200,
    'text/csv; charset=utf-8',
    `attachment; filename="statement-${month}.csv"`,
  ])
  const rows = csv.text.trimEnd().split('\r\n')
  expect(rows[0]).toBe('asset,date,kind,in,out,fees,balance')
  expect(rows.length).toBe(1 + statements.reduce((sum, { lines }) => sum + lines.length + 2, 0))
  const closing = rows.at(-1)?.split(',').at(-1) ?? ''
  expect([closing, toMinor(closing, assets.cNGN)]).toEqual([
    statements[0]?.closingBalance,
    BigInt(await held(organisationId, customerId)),
  ])
  const reply = await fetch(`${service.url}/v1/reports/statement/export?month=${month}&format=pdf`, {
    headers: { authorization: `Bearer ${merchant.key}` },
  })
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(await reply.arrayBuffer())), {
    mergePages: true,
  })
  expect(text).toContain('Closing balance')
  expect(text).toContain(closing)
  expect(text).toContain('Test: no money moved')
  const wrong = await merchant.call('GET /v1/reports/statement/export?format=xml&month=never')
  expect([wrong.status, Object.keys(wrong.body.errors).sort()]).toEqual([422, ['format', 'month']])
})
