import decodeQR from 'qr/decode.js'
import { expect, test } from 'vitest'
import { locales, type PayData, type PaySession, type View } from './data.ts'
import { contrast, themeStyle } from './document/theme.ts'
import { content } from './screens/content.ts'
import { languages, localeOf, texts } from './texts.ts'
import { codeOf, wallets } from './wallets/wallets.ts'

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const session: PaySession = {
  id: '01936f2a-7c1e-7000-8000-000000000081',
  status: 'awaiting_payment',
  networkKey: 'ethereum',
  currency: 'USDC',
  amount: '25',
  receivedAmount: '0',
  remainingAmount: '25',
  depositAddress: ADDRESS,
  paymentUri: `ethereum:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48@1/transfer?address=${ADDRESS}&uint256=25000000`,
  payments: [],
  paidOver: false,
  paidLate: false,
  expiresAt: '2026-01-31T12:15:00.000Z',
  paidAt: null,
}
const data: PayData = {
  id: session.id,
  linkId: '01936f2a-7c1e-7000-8000-000000000080',
  type: 'session',
  status: 'awaiting_payment',
  payable: true,
  environment: 'live',
  merchant: { name: 'Ada Ltd' },
  title: 'Consulting',
  description: null,
  number: null,
  amount: '25',
  subtotal: null,
  tax: null,
  items: [],
  currency: 'USDC',
  dueAt: null,
  paymentOptions: [{ networkKey: 'ethereum', currency: 'USDC' }],
  refundRequired: false,
  session,
  theme: { layout: 'card', accentColor: '#1a56db', hideBrandFooter: false },
  allowedOrigins: [],
  redirectUrl: null,
  serverTime: '2026-01-31T12:00:00.000Z',
}
const view: View = {
  locale: 'en',
  texts: texts.en,
  languages,
  networks: { ethereum: { name: 'Ethereum', type: 'evm' }, solana: { name: 'Solana', type: 'svm' } },
  embedded: false,
  wallet: 'other',
}

test('a merchant’s page that is not at an https address is no link', () => {
  const schemes = ['javascript:alert(1)', 'JavaScript:alert(1)', ' javascript:alert(1)', '\u0001javascript:alert(1)']
  for (const redirectUrl of [...schemes, 'data:,x', '//x.test', 'http://x.test', '/pay'])
    expect(shownFor({ status: 'paid' }, { redirectUrl }), redirectUrl).not.toContain('id="return"')
  expect(shownFor({ status: 'paid' }, { redirectUrl: 'https://ada.test/thanks' })).toContain(
    'href="https://ada.test/thanks"',
  )
})

test('every language has every text, with the same placeholders', () => {
  const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort()
  for (const locale of locales) {
    expect(Object.keys(texts[locale])).toEqual(Object.keys(texts.en))
    for (const [name, text] of Object.entries(texts.en)) {
      const translated = texts[locale][name as keyof typeof texts.en]
      expect({ locale, name, placeholders: placeholders(translated) }).toEqual({
        locale,
        name,
        placeholders: placeholders(text),
      })
      expect(translated.trim()).not.toBe('')
    }
  }
})

test('the language is the one asked for, else the one that the browser prefers most, else English', () => {
  expect(localeOf('ar', 'fr')).toBe('ar')
  expect(localeOf('xx', 'de, pt-BR;q=0.8, fr;q=0.9')).toBe('fr')
  expect(localeOf(undefined, 'pt-BR')).toBe('pt')
  expect(localeOf(undefined, 'fr;q=0, de')).toBe('en')
  expect(localeOf(undefined, undefined)).toBe('en')
})

test('every accent colour can be read on the page and has a readable text on it, in light and dark', () => {
  const step = 51
  for (let red = 0; red <= 255; red += step)
    for (let green = 0; green <= 255; green += step)
      for (let blue = 0; blue <= 255; blue += step) {
        const accent = `#${[red, green, blue].map((each) => each.toString(16).padStart(2, '0')).join('')}`
        const [light, dark, onLight, onDark] = themeStyle(accent).match(/#[0-9a-f]{6}/g) as [
          string,
          string,
          string,
          string,
        ]
        expect(contrast(light, '#ffffff')).toBeGreaterThanOrEqual(4.5)
        expect(contrast(dark, '#11161c')).toBeGreaterThanOrEqual(4.5)
        expect(Math.min(contrast(light, onLight), contrast(dark, onDark))).toBeGreaterThanOrEqual(4.5)
      }
  expect(themeStyle('#1a56db')).toContain('--accent:light-dark(#1a56db,')
})

test('a wallet that misreads a payment link gets the address, and the reader can choose the other', () => {
  expect(codeOf(session, view)).toEqual({ format: 'address', text: ADDRESS })
  expect(codeOf(session, { ...view, wallet: 'metamask' })).toEqual({ format: 'link', text: session.paymentUri })
  expect(codeOf(session, { ...view, wallet: 'metamask', addressOnly: true }).text).toBe(ADDRESS)
  expect(codeOf(session, { ...view, wallet: 'coinbase', addressOnly: false }).text).toBe(session.paymentUri)
  const onSolana = {
    ...session,
    networkKey: 'solana',
    paymentUri: 'solana:Addr?amount=25&spl-token=Mint',
    depositAddress: 'Addr',
  }
  expect(codeOf(onSolana, { ...view, wallet: 'trust' })).toEqual({
    format: 'link_without_amount',
    text: 'solana:Addr?spl-token=Mint',
  })
  const onTron = { ...session, networkKey: 'tron', paymentUri: 'T1', depositAddress: 'T1' }
  expect(codeOf(onTron, { ...view, wallet: 'other', addressOnly: false })).toEqual({ format: 'address', text: 'T1' })
})

test('no wallet gets a link with a reference or memo, and every network has a wallet of another maker', () => {
  for (const { key } of wallets) expect(codeOf(session, { ...view, wallet: key }).text).not.toMatch(/reference|memo/)
  for (const type of ['evm', 'svm', 'tvm'] as const) expect(wallets[0]?.formats[type]).toBe('address')
})

test('without a script the page says the amount in words, the address and the end of the session', () => {
  const text = content(data, view).text
  for (const shown of ['Send <bdi>25</bdi> <bdi>USDC</bdi>', ADDRESS, '12:15 UTC', '<svg'])
    expect(text).toContain(shown)
})

test('the code of a page decodes to its text', () => {
  const svg = content(data, view).text.match(/<svg.*?<\/svg>/)?.[0] ?? ''
  const size = Number(svg.match(/viewBox="0 0 (\d+)/)?.[1])
  const scale = 4
  const pixels = new Uint8Array((size * scale) ** 2 * 4).fill(255)
  for (const [, path = ''] of svg.matchAll(/d="([^"]+)"/g)) {
    let [x, y] = [0, 0]
    for (const [, mode, dx, dy] of path.matchAll(/([Mm])(-?\d+)[ ]?(-?\d+)/g)) {
      ;[x, y] = mode === 'M' ? [Number(dx), Number(dy)] : [x + Number(dx), y + Number(dy)]
      for (let row = y * scale; row < (y + 1) * scale; row++)
        for (let column = x * scale; column < (x + 1) * scale; column++)
          pixels.fill(0, (row * size * scale + column) * 4, (row * size * scale + column) * 4 + 3)
    }
  }
  expect(decodeQR({ width: size * scale, height: size * scale, data: pixels })).toBe(ADDRESS)
})

const payment = {
  txHash: '0x1',
  networkKey: 'ethereum',
  currency: 'USDC',
  amount: '10',
  status: 'completed',
  receivedAt: data.serverTime,
}
const shownFor = (given: Partial<PaySession>, more: Partial<PayData> = {}) =>
  content(
    { ...data, ...more, status: given.status ?? 'awaiting_payment', session: { ...session, ...given } },
    view,
  ).text.replace(/<bdi>|<\/bdi>/g, '')

test.each<[string, Partial<PaySession>, string, string]>([
  [
    'other currency, in time',
    { payments: [{ ...payment, currency: 'USDT' }] },
    'You sent USDT on Ethereum. It went to Ada Ltd, but does not count',
    'Send 25',
  ],
  [
    'a part is being confirmed',
    { status: 'processing', payments: [{ ...payment, status: 'pending' }] },
    '15 USDC will still be left to pay',
    'Nothing else to do',
  ],
  [
    'all is being confirmed',
    { status: 'processing', payments: [{ ...payment, amount: '25', status: 'pending' }] },
    'Nothing else to do',
    'left to pay',
  ],
  [
    'a payment is being confirmed for longer than usual',
    {
      status: 'processing',
      payments: [{ ...payment, amount: '25', status: 'pending', receivedAt: '2026-01-31T11:29:59.000Z' }],
    },
    'Keep the transaction number below, and do not send it again',
    'a few minutes at most',
  ],
  [
    'an unknown amount is being confirmed',
    { status: 'processing', payments: [{ ...payment, amount: '0', status: 'pending' }] },
    'Nothing else to do',
    'left to pay',
  ],
  [
    'a part in time, then over',
    { status: 'expired', receivedAmount: '10', remainingAmount: '15', payments: [payment] },
    '10 of 25 USDC arrived in time',
    'after the time had ended',
  ],
  [
    'a part after the end',
    { status: 'expired', receivedAmount: '10', remainingAmount: '15', paidLate: true, payments: [payment] },
    'A payment arrived after the time had ended',
    'in time and went',
  ],
  ['nothing, over', { status: 'expired' }, 'Start again to get a new amount', 'arrived'],
  [
    'a part, then cancelled',
    { status: 'cancelled', receivedAmount: '10', remainingAmount: '15', payments: [payment] },
    '10 USDC arrived and went to Ada Ltd',
    'after the time',
  ],
  [
    'sent back to the payer',
    { status: 'returned', refundTo: { address: '0xPayer', owner: 'payer' } },
    'sent back to your address 0xPayer',
    'Ask Ada Ltd for it',
  ],
  [
    'sent back to the merchant',
    { status: 'returned', refundTo: { address: '0xM', owner: 'organisation' } },
    'sent back to Ada Ltd, at 0xM',
    'your address',
  ],
  [
    'sent back to the service',
    { status: 'returned', refundTo: { address: '0xS', owner: 'service' } },
    'keeps it for you, at 0xS',
    'your address',
  ],
  ['nothing yet', {}, 'Give Ada Ltd the transaction number', 'may not count'],
])('%s: the page says what is true, and nothing else', (_name, given, says, never) => {
  const text = shownFor(given)
  expect(text).toContain(says)
  expect(text.replace(/id="[^"]*"|<dl[\s\S]*<\/dl>|<ul>[\s\S]*<\/ul>/g, '')).not.toContain(never)
})
