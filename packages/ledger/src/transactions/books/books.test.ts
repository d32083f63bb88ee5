import { execFileSync } from 'node:child_process'
import { read, utils } from '@e965/xlsx'
import { newId, toMinor } from '@payments/kernel'
import { expect, test } from 'vitest'
import {
  advance,
  bankTransfer,
  bookOf,
  depositFor,
  enabledByWorker,
  fund,
  hasTools,
  type Merchant,
  newCngn,
  newCollection,
  newMerchant,
  newOfframp,
  newOnramp,
  newRoute,
  newSwap,
  pay,
  paySession,
  startSession,
  useService,
} from '#testing'
import { record } from '../../../test/record.ts'
import { post } from '../../journal/post.ts'
import { transactionKinds } from '../../model/kinds.ts'

const service = useService({ worker: true })
const hasHledger = hasTools('hledger')

/** What hledger says of a journal. */
const hledger = (journal: string, ...words: string[]): string =>
  execFileSync('hledger', ['-f', '-', ...words], {
    input: journal,
    encoding: 'utf8',
    // biome-ignore lint/style/noProcessEnv: the path; hledger reads UTF-8 only where the locale says so
    env: { ...process.env, LANG: 'C.UTF-8' },
  })

const units = (text: string): bigint => {
  const negative = text.startsWith('-')
  const amount = toMinor(negative ? text.slice(1) : text, { symbol: '', decimals: 18 })
  return negative ? -amount : amount
}
const add = (sums: Record<string, bigint>, key: string, amount: string): void => {
  sums[key] = (sums[key] ?? 0n) + units(amount)
  if (sums[key] === 0n) delete sums[key]
}

/** The sum of every account and commodity, as hledger adds them up: `Assets:Wallet USDC`. */
function balancesOf(journal: string): Record<string, bigint> {
  const [, ...rows] = rowsOf(hledger(journal, 'balance', '--flat', '--no-total', '--layout=bare', '-O', 'csv'))
  const sums: Record<string, bigint> = {}
  for (const [account, commodity, amount] of rows) add(sums, `${account} ${commodity}`, String(amount))
  return sums
}

/** A CSV file, read by a parser that is not ours; every cell as text. */
function rowsOf(file: string): string[][] {
  const { Sheets, SheetNames } = read(file, { type: 'string', raw: true })
  return utils.sheet_to_json<string[]>(Sheets[SheetNames[0] ?? ''] ?? {}, { header: 1, raw: false, defval: '' })
}

const fileOf = async (merchant: Merchant, query: string): Promise<string> => {
  const { status, text } = await merchant.call(`GET /v1/transactions/export?${query}`)
  expect([status, text.slice(0, 200)]).toEqual([200, expect.anything()])
  return text
}

/** A merchant with payments of every kind that have settled, one that was sent back, and the list of the settled ones. */
async function everyKind() {
  // biome-ignore lint/suspicious/noExplicitAny: replies of the API
  let list: any[] = []
  const merchant = await newMerchant(service)
  const customer = await enabledByWorker(merchant, { name: '(Ada) & Obi; | Sons' })
  await bankTransfer(merchant, customer, '500000')
  await pay(merchant, (await newRoute(merchant, { name: 'Treasury; ) "x"' })).id, '12.345678')
  await pay(merchant, (await newRoute(merchant)).id, '7', 'refunded')
  const link = await newCollection(merchant, { title: 'Work (May); "two" days' })
  await paySession(merchant, (await startSession(service, link.id)).id, {})
  await depositFor(merchant, (await newSwap(merchant)).id)
  await fund(merchant, 'offramp', (await newOfframp(merchant)).id)
  await fund(merchant, 'onramp', (await newOnramp(merchant)).id)
  const deposit = await newCngn(merchant, 'deposits', customer)
  await merchant.call(`POST /v1/sandbox/cngn/deposits/${deposit.id}/deposits`, { body: { amount: '250.5' } })
  const convert = await newCngn(merchant, 'converts', customer)
  await merchant.call(`POST /v1/sandbox/cngn/converts/${convert.id}/deposits`, { body: {} })
  const balance = async () => (await merchant.call('GET /v1/reports/statement')).body.data.statements
  await expect.poll(async () => (await balance()).length, { timeout: 30_000, interval: 300 }).toBeGreaterThan(0)
  await newCngn(merchant, 'payouts', customer, { reference: 'payroll) 17' })
  await newCngn(merchant, 'withdrawals', customer)
  const open = async () => {
    await advance(merchant, 60)
    list = (await merchant.call('GET /v1/transactions')).body.data.transactions
    const settled = list.filter(({ status }) => ['completed', 'paid', 'delivered'].includes(status))
    return [...new Set(settled.map(({ kind }) => kind))].sort()
  }
  await expect.poll(open, { timeout: 90_000, interval: 500 }).toEqual([...transactionKinds].sort())
  list = list.filter(({ status }) => ['completed', 'paid', 'delivered'].includes(status))
  return { merchant, list }
}

test.runIf(hasHledger)(
  'payments of every kind are a journal whose sums hledger finds in receipts, reports and statements, and bank statements that sum to its assets',
  async () => {
    const { merchant, list } = await everyKind()

    const journal = await fileOf(merchant, 'format=hledger')
    hledger(journal, 'check', 'balancednoautoconversion', 'ordereddates')
    const balances = balancesOf(journal)
    const of = (account: string) =>
      Object.fromEntries(
        Object.entries(balances).flatMap(([key, amount]) =>
          key.startsWith(`${account} `) ? [[key.slice(account.length + 1), amount]] : [],
        ),
      )
    // What was charged: the reports.
    const fees: Record<string, bigint> = {}
    for (const { asset, amount } of (await merchant.call('GET /v1/reports/summary')).body.data.fees)
      add(fees, asset, amount)
    expect(of('Expenses:Fees')).toEqual(fees)
    // What customers hold: the statement.
    const held: Record<string, bigint> = {}
    for (const { asset, closingBalance } of (await merchant.call('GET /v1/reports/statement')).body.data.statements)
      add(held, asset, closingBalance)
    expect(of('Assets:Balance')).toEqual(held)
    // What came, was paid out and is in the organisation's wallets: the receipts.
    const expected: Record<string, Record<string, bigint>> = {}
    const cngn = (symbol: string, kind: string) => (symbol === 'NGN' && kind.startsWith('cngn') ? 'cNGN' : symbol)
    const note = (account: string, kind: string, { symbol, amount }: { symbol: string; amount: string }, sign = '') => {
      expected[account] ??= {}
      add(expected[account], cngn(symbol, kind), `${sign}${amount}`)
    }
    for (const { kind, receipt } of list) {
      const { destination: to } = receipt
      const source = receipt.origin ?? receipt.source
      // With the fee, which is asked for on top.
      const from = { ...source, amount: receipt.receivedAmount ?? source.amount }
      if (kind === 'payment_route' || kind === 'collection' || kind === 'onramp') {
        note(kind, kind, from, '-')
        note('wallet', kind, to)
      } else if (kind === 'swap') {
        note('wallet', kind, from, '-')
        note('wallet', kind, to)
      } else if (kind === 'offramp') {
        note('wallet', kind, from, '-')
        note(kind, kind, to)
      } else if (kind === 'cngn_convert') note('wallet', kind, from, '-')
      else if (kind === 'cngn_payin' || kind === 'cngn_deposit') note(kind, kind, from, '-')
      else note(kind, kind, to)
    }
    const names: Record<string, string> = {
      wallet: 'Assets:Wallet',
      payment_route: 'Income:Payment route',
      collection: 'Income:Collection',
      onramp: 'Income:Onramp',
      cngn_payin: 'Income:cNGN payin',
      cngn_deposit: 'Income:cNGN deposit',
      offramp: 'Expenses:Offramp',
      cngn_payout: 'Expenses:cNGN payout',
      cngn_withdrawal: 'Expenses:cNGN withdrawal',
    }
    for (const [account, sums] of Object.entries(expected))
      expect([account, of(names[account] ?? '')]).toEqual([account, sums])
    // Nothing else, and nothing is left under way.
    expect([...new Set(Object.keys(balances).map((key) => key.replace(/ \S+$/, '')))].sort()).toEqual(
      [...Object.values(names), 'Assets:Balance', 'Equity:Conversion', 'Expenses:Fees'].sort(),
    )
    // The ids are tags, and names are read whole.
    const ids = hledger(journal, 'tags', 'id', '--values').trim().split('\n')
    expect(ids.sort()).toEqual(list.map(({ id }) => id).sort())
    expect(hledger(journal, 'payees')).toContain('(Ada) & Obi Sons\n')
    expect(hledger(journal, 'codes')).toContain('payroll 17\n')

    for (const currency of ['USDC', 'EURC', 'cNGN', 'NGN']) {
      const [head, ...rows] = rowsOf(await fileOf(merchant, `format=bank_csv&currency=${currency}`))
      expect(head).toEqual(['Date', 'Amount', 'Payee', 'Description', 'Reference'])
      const sums: Record<string, bigint> = {}
      for (const [date, amount] of rows) {
        expect([date, amount]).toEqual([
          expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
          expect.stringMatching(/^-?\d+(\.\d+)?$/),
        ])
        add(sums, currency, amount ?? '')
      }
      const assets = Object.entries(balances).filter(
        ([key]) => key.startsWith('Assets:') && key.endsWith(` ${currency}`),
      )
      expect([currency, sums[currency] ?? 0n]).toEqual([currency, assets.reduce((sum, [, each]) => sum + each, 0n)])
    }
    const naira = await fileOf(merchant, 'format=bank_csv&currency=cNGN')
    expect(naira).toMatch(/,-\d+(\.\d+)?,\(Ada\) & Obi; \| Sons,cNGN payout,payroll\) 17\r\n/)
    expect(await fileOf(merchant, 'format=bank_csv&currency=NGN')).toBe('Date,Amount,Payee,Description,Reference\r\n')
  },
  180_000,
)

/** A transaction that settled, and what was posted now, long afterwards: it was sent back. */
async function returned(merchant: Merchant): Promise<string> {
  const id = newId()
  const { organisationId } = merchant
  await record(service.runtime, { organisationId }, [
    { id, kind: 'payment_route', createdAt: new Date('2026-01-15T00:00:00Z'), at: new Date('2026-01-31T23:30:00Z') },
    // Never settled.
    { kind: 'payment_route', status: 'failed', createdAt: new Date('2026-01-15T00:00:00Z') },
  ])
  await bookOf(service.runtime, organisationId).do((unit) =>
    post(unit, {
      source: { type: 'payment_route', id },
      step: 'returned',
      postings: [
        { account: { purpose: 'external', asset: 'USDC' }, amount: 12_500_000n },
        { account: { purpose: 'fees', asset: 'USDC' }, amount: -125_000n },
        { account: { purpose: 'suspense', asset: 'USDC' }, amount: -12_375_000n },
      ],
    }),
  )
  return id
}

test('what happens after a transaction has settled is a line of its own day, in the zone asked for, and a month that has ended keeps its lines', async () => {
  const merchant = await newMerchant(service)
  const bank = (query: string) => fileOf(merchant, `format=bank_csv&currency=USDC&${query}`)
  const id = await returned(merchant)
  const head = 'Date,Amount,Payee,Description,Reference\r\n'
  expect(await bank('settledFrom=2026-01-01&settledTo=2026-02-28')).toBe(head)
  const today = (zone: string) =>
    new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(new Date())
  for (const zone of ['UTC', 'Pacific/Kiritimati']) {
    const day = today(zone)
    const lines = [
      `${day},0.125,,Payment route fee: change after settlement,${id}`,
      `${day},-12.5,,Payment route: change after settlement,${id}`,
    ]
    const [first, ...rest] = (await bank(`settledFrom=${day}&settledTo=${day}&timeZone=${zone}`))
      .trimEnd()
      .split('\r\n')
    expect([first, ...rest.toSorted()]).toEqual([head.trimEnd(), ...lines.toSorted()])
  }
  expect(await bank('customerId=01936f2a-7c1e-7000-8000-000000000020')).toBe(head)
  const stranger = await newMerchant(service)
  expect(await fileOf(stranger, 'format=hledger')).toBe('decimal-mark .\n')
})

test('a format that lacks a field, or does not have one, is refused on that field, and the file is named by its format', async () => {
  const merchant = await newMerchant(service)
  const errors = async (query: string) => (await merchant.call(`GET /v1/transactions/export?${query}`)).body?.errors
  expect(await errors('format=bank_csv')).toEqual({ currency: 'Required for the format bank_csv' })
  expect(await errors('format=hledger&currency=USDC&columns=id&bom=true')).toEqual({
    currency: 'Only for the format bank_csv',
    columns: 'Only for the format csv',
    bom: 'Not for the format hledger',
  })
  expect(Object.keys((await errors('format=ofx')) ?? {})).toEqual(['format'])
  const named = async (query: string) => {
    const { headers } = await merchant.call(`GET /v1/transactions/export?${query}`)
    return [headers.get('content-type'), headers.get('content-disposition')]
  }
  expect(await named('format=hledger')).toEqual([
    'text/plain; charset=utf-8',
    'attachment; filename="transactions.journal"',
  ])
  expect(await named('format=bank_csv&currency=USDC&bom=true')).toEqual([
    'text/csv; charset=utf-8',
    'attachment; filename="transactions-USDC.csv"',
  ])
})
