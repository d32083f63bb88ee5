import { bind } from '@payments/kernel'
import { afterEach, expect, test } from 'vitest'
import { newMerchant, useService } from '#testing'
import { sameHolder } from '../accounts/accounts.ts'
import { errors } from '../errors.ts'
import { type AccountName, fiatProvider, type Offers, type SandboxFiat } from '../provider/provider.ts'
import { sandboxFiat } from '../provider/sandbox.ts'

/** What the bank says, when it does. */
let answer: () => Promise<AccountName> = async () => ({ status: 'unresolved' })
let asked = 0
/** What the provider offers; undefined: what the sandbox does. */
let offered: Offers | undefined
afterEach(() => {
  asked = 0
  offered = undefined
})

const bank = new Proxy({} as SandboxFiat, {
  get(_target, name) {
    // Asked for before the service runs.
    if (name === 'name') return 'sandbox'
    if (name === 'offers' && offered) return async () => offered
    if (name !== 'accountName') return sandboxFiat(service.runtime.pool)[name as keyof SandboxFiat]
    return () => {
      asked++
      return answer()
    }
  },
})
const service = useService({
  settings: { FIAT_ACCOUNT_DEADLINE_SECONDS: '0.3' },
  live: [bind(fiatProvider, 'test', bank)],
})

const body = { currency: 'NGN', bankCode: '058', accountNumber: '0123456789' }
const verify = (merchant: Awaited<ReturnType<typeof newMerchant>>, given: object = {}) =>
  merchant.call('POST /v1/fiat/accounts/verify', { body: { ...body, ...given } })

test.each(['/fiat/currencies', '/fiat/currencies/NGN/banks'])(
  '%s comes again only where it has changed',
  async (path) => {
    const { key } = await newMerchant(service)
    const ask = (headers: object = {}) =>
      fetch(`${service.url}/v1${path}`, { headers: { authorization: `Bearer ${key}`, ...headers } })
    const first = await ask()
    const etag = first.headers.get('etag') ?? ''
    expect(await first.json()).toMatchObject({ status: 'success' })
    const same = await ask({ 'if-none-match': etag })
    expect([same.status, await same.text(), same.headers.get('etag')]).toEqual([304, '', etag])
    const other = await ask({ 'if-none-match': '"another"' })
    expect([other.status, other.headers.get('etag')]).toEqual([200, etag])
  },
)

test('currencies have their limits, directions and corridors', async () => {
  const merchant = await newMerchant(service)
  const { currencies, total } = (await merchant.call('GET /v1/fiat/currencies')).body.data
  expect(currencies.map(({ code, decimals, onramp }: Record<string, unknown>) => [code, decimals, onramp])).toEqual([
    ['NGN', 2, true],
    ['KES', 2, true],
    ['UGX', 0, true],
    ['TZS', 2, false],
    ['TND', 3, true],
  ])
  expect(total).toBe(5)
  expect(currencies[0]).toMatchObject({
    name: 'Nigerian naira',
    country: 'NG',
    minAmount: '500',
    maxAmount: '2000000000',
  })
  expect(currencies[0].corridors).toContainEqual({
    direction: 'offramp',
    channel: 'bank',
    sourceCurrency: 'USDC',
    destinationCurrency: 'NGN',
    networkKey: 'base',
    minAmount: '1',
    maxAmount: '1000000',
  })
})

test('currencies are shown as they are offered now, whatever was shown before', async () => {
  const merchant = await newMerchant(service)
  const shown = async () => {
    const { currencies, total } = (await merchant.call('GET /v1/fiat/currencies')).body.data
    return [total, ...currencies.map(({ code, minAmount }: Record<string, unknown>) => `${code} from ${minAmount}`)]
  }
  const before = await shown()
  expect(await shown()).toEqual(before)
  const { corridors, currencies } = await sandboxFiat(service.runtime.pool).offers()
  offered = {
    corridors,
    currencies: currencies.filter(({ code }) => code === 'NGN').map((each) => ({ ...each, minAmount: 123400n })),
  }
  expect(await shown()).toEqual([1, 'NGN from 1234'])
  expect(await shown()).toEqual([1, 'NGN from 1234'])
  offered = undefined
  expect(await shown()).toEqual(before)
})

test('banks have the rule of their account numbers', async () => {
  const merchant = await newMerchant(service)
  const banksOf = async (code: string) => (await merchant.call(`GET /v1/fiat/currencies/${code}/banks`)).body
  expect((await banksOf('NGN')).data.banks).toContainEqual({
    code: '058',
    name: 'Guaranty Trust Bank',
    country: 'NG',
    type: 'bank',
    accountRule: { format: 'nuban', pattern: '^\\d{10}$', description: '10 digits (NUBAN)', channels: null },
  })
  const formats = (await banksOf('KES')).data.banks.map(
    (each: { accountRule: { format: string } }) => each.accountRule.format,
  )
  expect(formats).toEqual(['account_number', 'account_number', 'm_pesa', 'phone_number'])
  expect(await banksOf('XYZ')).toMatchObject({ status: 'error', message: 'Currency not found' })
})

test('a verification never says more than the bank: a name, unresolved, or no such account', async () => {
  const merchant = await newMerchant(service)
  answer = async () => ({ status: 'verified', accountName: 'OBI ADA' })
  expect((await verify(merchant)).body.data).toEqual({
    status: 'verified',
    accountName: 'OBI ADA',
    bankName: 'Guaranty Trust Bank',
    accountNumber: '0123456789',
  })
  answer = async () => ({ status: 'unresolved' })
  expect((await verify(merchant, { accountNumber: '1111111111' })).body.data).toMatchObject({
    status: 'unresolved',
    accountName: null,
  })
  answer = async () => ({ status: 'not_found' })
  const missing = await verify(merchant, { accountNumber: '2222222222' })
  expect([missing.status, missing.body.errors]).toEqual([
    422,
    { accountNumber: 'No such account at Guaranty Trust Bank' },
  ])
})

test.each([
  [{ currency: 'XYZ' }, 'currency'],
  [{ bankCode: '999' }, 'bankCode'],
  [{ accountNumber: '12' }, 'accountNumber'],
  [{ channel: 'till' }, 'channel'],
])('a verification of %o is rejected with 422 naming the field, before the bank is asked', async (given, field) => {
  const answered = await verify(await newMerchant(service), given)
  expect([answered.status, Object.keys(answered.body.errors), asked]).toEqual([422, [field], 0])
})

test('a bank that is slower than the deadline is a 503; it is asked once, and the next request finds its answer', async () => {
  const merchant = await newMerchant(service)
  let tell: (said: AccountName) => void = () => undefined
  answer = () =>
    new Promise((resolve) => {
      tell = resolve
    })
  const both = await Promise.all([verify(merchant), verify(merchant)])
  expect(both.map(({ status }) => status)).toEqual([503, 503])
  expect(both[0]?.headers.get('retry-after')).toBe('5')
  expect(asked).toBe(1)
  tell({ status: 'verified', accountName: 'OBI ADA' })
  await expect.poll(async () => (await verify(merchant)).status).toBe(200)
  expect(asked).toBe(1)
  const stranger = await newMerchant(service)
  answer = async () => ({ status: 'unresolved' })
  expect((await verify(stranger)).body.data.status).toBe('unresolved')
})

test('a bank that cannot be asked is a 503 and is asked again', async () => {
  const merchant = await newMerchant(service)
  answer = async () => {
    throw errors.fiat_provider_unavailable()
  }
  expect((await verify(merchant)).status).toBe(503)
  answer = async () => ({ status: 'verified', accountName: 'OBI ADA' })
  expect((await verify(merchant)).status).toBe(200)
})

test('two spellings are one holder if their words are, whatever their order, case and accents', () => {
  for (const [one, other] of [
    ['Ada Obi', 'OBI ADA'],
    ['Adá Óbí', 'ada obi'],
    ['Ada Obi', 'OBI ADA NGOZI'],
    ["Ada O'Brien-Obi", 'OBI ADA OBRIEN'],
    ['Ada', 'ADA'],
  ] as const)
    expect([one, sameHolder(one, other)]).toEqual([one, true])
  for (const [one, other] of [
    ['Ada Obi', 'ADA EZE'],
    ['Ada', 'ADA OBI'],
    ['', 'ADA OBI'],
    ['Ada Obi', 'OB IADA'],
  ] as const)
    expect([one, sameHolder(one, other)]).toEqual([one, false])
})
