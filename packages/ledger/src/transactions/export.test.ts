import { read, utils } from '@e965/xlsx'
import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { bookOf, call, newMerchant, type TestService, useService } from '#testing'
import { record } from '../../test/record.ts'
import { post } from '../journal/post.ts'

const service = useService()

async function insertTransactions(
  of: TestService,
  organisationId: string,
  count: number,
  destination = 'Base USDC',
): Promise<void> {
  await of.runtime.pool.query(
    `insert into transactions (id, organisation_id, environment, kind, status, destination, amount, currency, amount_usd, receipt, created_at, updated_at)
     select gen_random_uuid(), $1, 'test', 'payment_route', 'completed', $3, 12.5, 'USDC', '12.5', '{}',
            timestamptz '2026-01-01 12:00:00Z' + make_interval(secs => n), now() from generate_series(1, $2::int) n`,
    [organisationId, count, destination],
  )
}

test('an export contains every transaction of the range, newest first, with times in the requested time zone', async () => {
  const merchant = await newMerchant(service)
  await insertTransactions(service, merchant.organisationId, 2500)
  const { status, headers, text } = await merchant.call(
    'GET /v1/transactions/export?from=2026-01-01T12:00:01Z&to=2026-01-01T12:41:40Z&timeZone=Africa/Lagos',
  )
  expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
    200,
    'text/csv; charset=utf-8',
    'attachment; filename="transactions.csv"',
  ])
  const lines = text.trimEnd().split('\r\n')
  expect(lines[0]).toBe(
    'id,kind,status,customerId,customerName,destination,amount,amountUsd,createdAt,settledAt,value,currency,fee,feeCurrency,reference,title,txHash',
  )
  expect(lines.length).toBe(1 + 2499)
  expect(lines[1]).toMatch(/,2026-01-01T13:41:39\.000\+01:00,,12\.5,USDC,,,,,$/)
  expect(lines.at(-1)).toMatch(/,2026-01-01T13:00:01\.000\+01:00,,12\.5,USDC,,,,,$/)
})

test('an export is in the time zone of the organisation unless it asks for another', async () => {
  const merchant = await newMerchant(service)
  await insertTransactions(service, merchant.organisationId, 1)
  await service.runtime.pool.query("update organisations set time_zone = 'Asia/Kathmandu' where id = $1", [
    merchant.organisationId,
  ])
  const last = async (query: string) => (await merchant.call(`GET /v1/transactions/export${query}`)).text.trimEnd()
  expect(await last('')).toMatch(/,2026-01-01T17:45:01\.000\+05:45,,12/)
  expect(await last('?timeZone=UTC')).toMatch(/,2026-01-01T12:00:01\.000\+00:00,,12/)
})

/** The rows of a file by their headings. */
function rowsOf(text: string): Record<string, string>[] {
  const [head = '', ...lines] = text.replace('\ufeff', '').trimEnd().split('\r\n')
  const names = head.split(',')
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, place) => [names[place] ?? '', cell])))
}

test('books are kept from an export: amount, fee and what they are of in cells of their own, reference, title and hash', async () => {
  const merchant = await newMerchant(service)
  const { organisationId } = merchant
  const receipts = {
    collection: {
      number: 'INV-000007',
      title: 'Consulting',
      payments: [{ txHash: '0xa1' }, { txHash: '' }, { txHash: '0xa2' }],
    },
    payment_route: { routeName: 'Treasury', depositTxHash: '0xb1' },
    cngn_payout: { reference: 'payroll-17' },
    cngn_withdrawal: { txHash: '0xc1' },
  }
  for (const [kind, receipt] of Object.entries(receipts)) {
    const id = newId()
    await service.runtime.pool.query(
      `insert into transactions (id, organisation_id, environment, kind, status, destination, amount, currency, receipt, succeeded_at, created_at, updated_at)
       values ($1, $2, 'test', $3, 'completed', 'x', 12.50, 'USDC', $4, '2026-01-02 00:00:00Z', '2026-01-01 00:00:00Z', now())`,
      [id, organisationId, kind, receipt],
    )
    await bookOf(service.runtime, organisationId).do((unit) =>
      post(unit, {
        source: { type: kind, id },
        step: 'moved',
        postings: [
          { account: { purpose: 'external', asset: 'USDC' }, amount: -12_500_000n },
          { account: { purpose: 'destination', asset: 'USDC' }, amount: 12_375_000n },
          { account: { purpose: 'fees', asset: 'USDC' }, amount: 125_000n },
        ],
      }),
    )
  }
  const rows = rowsOf((await merchant.call('GET /v1/transactions/export')).text)
  const common = {
    settledAt: '2026-01-02T00:00:00.000+00:00',
    value: '12.5',
    currency: 'USDC',
    fee: '0.125',
    feeCurrency: 'USDC',
  }
  const found = (kind: string) => rows.find((row) => row.kind === kind)
  expect(found('collection')).toMatchObject({
    ...common,
    reference: 'INV-000007',
    title: 'Consulting',
    txHash: '0xa1 0xa2',
  })
  expect(found('payment_route')).toMatchObject({ ...common, reference: '', title: 'Treasury', txHash: '0xb1' })
  expect(found('cngn_payout')).toMatchObject({ ...common, reference: 'payroll-17', title: '', txHash: '' })
  expect(found('cngn_withdrawal')).toMatchObject({ ...common, txHash: '0xc1' })
})

test('a month by settlement does not change once it has ended, whatever happens to its transactions afterwards', async () => {
  const merchant = await newMerchant(service)
  const { organisationId } = merchant
  const of = { organisationId }
  const time = (text: string) => new Date(text)
  const [early, late, open] = [newId(), newId(), newId()]
  await record(service.runtime, of, [
    // Created in January; succeeded in its last moment in Lagos, in February there, and not yet.
    { id: early, createdAt: time('2026-01-15T00:00:00Z'), at: time('2026-01-31T22:59:59.999Z') },
    { id: late, createdAt: time('2026-01-15T00:00:00Z'), at: time('2026-01-31T23:00:00Z') },
    { id: open, status: 'processing', createdAt: time('2026-01-15T00:00:00Z') },
  ])
  await service.runtime.pool.query("update organisations set time_zone = 'Africa/Lagos' where id = $1", [
    organisationId,
  ])
  const month = async (query: string) =>
    rowsOf((await merchant.call(`GET /v1/transactions/export?${query}`)).text).map(({ id }) => id)
  const january = 'settledFrom=2026-01-01&settledTo=2026-01-31'
  expect(await month(january)).toEqual([early])
  await record(service.runtime, of, [
    { id: early, status: 'refunded', createdAt: time('2026-01-15T00:00:00Z') },
    { id: open, createdAt: time('2026-01-15T00:00:00Z'), at: time('2026-02-03T00:00:00Z') },
  ])
  expect(await month(january)).toEqual([early])
  expect(await month('settledFrom=2026-02-01&settledTo=2026-02-28')).toEqual([open, late])
  expect(await month(`${january}&timeZone=UTC`)).toEqual([late, early])
  expect(await month(`${january}&to=2026-01-14`)).toEqual([])
  expect((await month('from=2026-01-15&to=2026-01-15')).toSorted()).toEqual([early, late, open].toSorted())
})

test('a file begins with a byte order mark where it is asked for, and only there', async () => {
  const merchant = await newMerchant(service)
  const begins = async (query: string) => {
    const reply = await fetch(`${service.url}/v1/transactions/export${query}`, {
      headers: { authorization: `Bearer ${merchant.key}` },
    })
    return Buffer.from(await reply.arrayBuffer())
      .subarray(0, 5)
      .toString('hex')
  }
  expect(await begins('?bom=true')).toBe('efbbbf6964')
  expect(await begins('?bom=false')).toMatch(/^6964/)
  expect(await begins('')).toMatch(/^6964/)
})

test('a cell that a spreadsheet would read as a formula is escaped, and quotes are kept', async () => {
  const merchant = await newMerchant(service)
  await insertTransactions(service, merchant.organisationId, 1, '=HYPERLINK("x"),\n')
  const { text } = await merchant.call('GET /v1/transactions/export')
  expect(text).toContain(`"'=HYPERLINK(""x""),\n"`)
})

test('names of zones that only others know than the database are refused on their field by every export', async () => {
  const merchant = await newMerchant(service)
  const { rows } = await service.runtime.pool.query<{ name: string }>('select name from pg_timezone_names')
  const known = new Set(rows.map(({ name }) => name.toLowerCase()))
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const all = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)))
  const foreign = all.filter((name) => isZone(name) && !known.has(name.toLowerCase()))
  expect(foreign).toEqual(expect.arrayContaining(['CAT', 'EAT']))
  const errors = { timeZone: 'Must be a time zone of the IANA database, such as Africa/Lagos' }
  for (const zone of foreign) {
    const { status, body } = await merchant.call(`GET /v1/transactions/export?timeZone=${zone}`)
    expect([zone, status, body?.errors]).toEqual([zone, 422, errors])
  }
  expect((await merchant.call('GET /v1/transactions/export?timeZone=africa/nairobi')).status).toBe(200)
})

function isZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

test('errors of an export use the envelope, and an export contains no transaction of another organisation', async () => {
  const merchant = await newMerchant(service)
  await insertTransactions(service, merchant.organisationId, 3)
  const wrong = await merchant.call('GET /v1/transactions/export?timeZone=Mars/Olympus&from=yesterday')
  expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([422, ['from', 'timeZone']])
  const anonymous = await call(service, 'GET /v1/transactions/export')
  expect([anonymous.status, anonymous.body.message]).toEqual([401, 'No token provided'])
  const stranger = await newMerchant(service)
  expect((await stranger.call('GET /v1/transactions/export')).text.trimEnd().split('\r\n')).toHaveLength(1)
  expect((await merchant.call(`GET /v1/transactions/export?customerId=${newId()}`)).text).not.toContain('USDC')
})

test('a spreadsheet program shows identifiers as they are, amounts as numbers, and the columns that were asked for in their order', async () => {
  const merchant = await newMerchant(service)
  for (const [reference, title] of [
    ['000000000031', '1-2'],
    ['90467565020001', 'Consulting, "two" days'],
    ['1234E5', '=1+1'],
  ])
    await service.runtime.pool.query(
      `insert into transactions (id, organisation_id, environment, kind, status, destination, amount, currency, receipt, created_at, updated_at)
       values ($1, $2, 'test', 'cngn_payout', 'completed', 'x', 12.50, 'cNGN', $3, now(), now())`,
      [newId(), merchant.organisationId, { reference, title }],
    )
  const columns = 'reference,value,title'
  const opened = async (query: string) => {
    const file = await merchant.call(`GET /v1/transactions/export?columns=${columns}${query}`)
    const { Sheets, SheetNames } = read(file.text, { type: 'string' })
    return utils.sheet_to_json<unknown[]>(Sheets[SheetNames[0] ?? ''] ?? {}, { header: 1 })
  }
  const [head, ...rows] = await opened('&bom=true')
  expect(head).toEqual(columns.split(','))
  expect(rows.toSorted()).toEqual([
    ['000000000031', 12.5, '1-2'],
    ['1234E5', 12.5, "'=1+1"],
    ['90467565020001', 12.5, 'Consulting, "two" days'],
  ])
  // Programs that read the file themselves get it as it is.
  const plain = await merchant.call(`GET /v1/transactions/export?columns=${columns}`)
  expect(plain.text).toContain('000000000031,12.5,1-2\r\n')
  expect((await opened('')).flat()).toContain(31)
  const refused = await merchant.call('GET /v1/transactions/export?columns=id,colour')
  expect([refused.status, refused.body.errors.columns.slice(0, 26)]).toEqual([422, 'Unknown column "colour": o'])
})
