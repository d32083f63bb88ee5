import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { call, newMerchant, type TestService, useService } from '#testing'

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
  expect(lines[0]).toBe('id,kind,status,customerId,customerName,destination,amount,amountUsd,createdAt')
  expect(lines.length).toBe(1 + 2499)
  expect(lines[1]).toMatch(/,2026-01-01T13:41:39\.000\+01:00$/)
  expect(lines.at(-1)).toMatch(/,2026-01-01T13:00:01\.000\+01:00$/)
})

test('an export is in the time zone of the organisation unless it asks for another', async () => {
  const merchant = await newMerchant(service)
  await insertTransactions(service, merchant.organisationId, 1)
  await service.runtime.pool.query("update organisations set time_zone = 'Asia/Kathmandu' where id = $1", [
    merchant.organisationId,
  ])
  const last = async (query: string) => (await merchant.call(`GET /v1/transactions/export${query}`)).text.trimEnd()
  expect(await last('')).toMatch(/,2026-01-01T17:45:01\.000\+05:45$/)
  expect(await last('?timeZone=UTC')).toMatch(/,2026-01-01T12:00:01\.000\+00:00$/)
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
