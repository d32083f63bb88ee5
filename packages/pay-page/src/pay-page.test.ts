import { readdirSync, readFileSync } from 'node:fs'
import decodeQR from 'qr/decode.js'
import { expect, test } from 'vitest'
import { locales, type PayData, type PaySession, type View } from './data.ts'
import { contrast, themeStyle } from './document/theme.ts'
import { content } from './screens/content.ts'
import { languages, localeOf, texts } from './texts.ts'
import { linksTo, systemOf } from './wallets/links.ts'
import { codeOf, wallets } from './wallets/wallets.ts'

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const session: PaySession = {
  id: '01936f2a-7c1e-7000-8000-000000000081',
  status: 'awaiting_payment',
  method: 'onchain',
  networkKey: 'ethereum',
  currency: 'USDC',
  amount: '25',
  pricing: null,
  minimumAmount: '24.875',
  receivedAmount: '0',
  remainingAmount: '25',
  fiatValue: { amount: '25.00', currency: 'USD' },
  depositAddress: ADDRESS,
  bankAccount: null,
  paymentUri: `ethereum:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48@1/transfer?address=${ADDRESS}&uint256=25000000`,
  payments: [],
  paidOver: false,
  paidTwice: false,
  paidLate: false,
  expiresAt: '2026-01-31T12:15:00.000Z',
  acceptedUntil: '2026-01-31T13:15:00.000Z',
  paidAt: null,
}
const data: PayData = {
  id: session.id,
  linkId: '01936f2a-7c1e-7000-8000-000000000080',
  type: 'session',
  status: 'awaiting_payment',
  linkStatus: 'active',
  suspended: false,
  payable: true,
  environment: 'live',
  merchant: { name: 'Ada Ltd' },
  title: 'Consulting',
  description: null,
  number: null,
  amount: '25',
  pricing: null,
  subtotal: null,
  discount: null,
  tax: null,
  items: [],
  currency: 'USDC',
  fiatValue: { amount: '25.00', currency: 'USD' },
  timeZone: 'UTC',
  dueAt: null,
  paymentOptions: [{ networkKey: 'ethereum', currency: 'USDC', estimatedFee: '0.61', estimatedSeconds: 70 }],
  bankTransfer: null,
  refundRequired: false,
  session,
  theme: { layout: 'card', accentColor: '#1a56db', hideBrandFooter: false },
  branding: {
    displayName: null,
    accentColor: null,
    backgroundColor: null,
    colorScheme: null,
    supportEmail: null,
    supportUrl: null,
    websiteUrl: null,
    legalName: null,
    address: null,
    taxId: null,
    termsUrl: null,
    privacyUrl: null,
    logoPath: null,
    verifiedDomain: null,
  },
  transactionUrl: null,
  allowedOrigins: [],
  redirectUrl: null,
  cancelUrl: null,
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

const paidPage = (redirectUrl: string) =>
  content({ ...data, status: 'paid', redirectUrl, session: { ...session, status: 'paid' } }, view).text

test('a merchant’s page that is not at an https address is no link', () => {
  const schemes = ['javascript:alert(1)', 'JavaScript:alert(1)', ' javascript:alert(1)', '\u0001javascript:alert(1)']
  for (const redirectUrl of [...schemes, 'data:,x', '//x.test', 'http://x.test', 'http://localhost.x.test/', '/pay'])
    expect(paidPage(redirectUrl), redirectUrl).not.toContain('id="return"')
  for (const redirectUrl of ['https://ada.test/thanks', 'http://127.0.0.1:3000/thanks'])
    expect(paidPage(redirectUrl)).toContain(`id="return" href="${redirectUrl}"`)
})

test('every language has every text, with the same placeholders', () => {
  const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort()
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

test('every text is used', () => {
  const folders = ['.', '../../../services/pay/src', '../../collections/src'].map(
    (each) => new URL(`${each}/`, import.meta.url),
  )
  const sources = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => readFileSync(new URL(file, folder), 'utf8')),
  )
  const source = sources.join('\n')
  const unused = Object.keys(texts.en).filter((name) => !new RegExp(`\\b${name}\\b`).test(source))
  expect(unused).toEqual([])
})

test('the language is the one asked for, else the one that the browser prefers most, else English', () => {
  expect(localeOf('ar', 'fr')).toBe('ar')
  expect(localeOf('xx', 'nl, pt-BR;q=0.8, fr;q=0.9')).toBe('fr')
  expect(localeOf(undefined, 'pt-BR')).toBe('pt')
  expect(localeOf(undefined, 'fr;q=0, nl')).toBe('en')
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

test('a wallet that can pay in its own browser has a link that opens the page there and names no amount, on phones only', () => {
  const url = 'https://pay.example/pay/01936f2a-7c1e-7000-8000-000000000081'
  const [phone, tablet] = ['Mozilla/5.0 (Linux; Android 16; Pixel 9)', 'Mozilla/5.0 (iPad; CPU OS 19_0 like Mac OS X)']
  expect([systemOf(phone), systemOf(tablet), systemOf('Mozilla/5.0 (X11; Linux x86_64)'), systemOf()]).toEqual([
    'Android',
    'iOS',
    undefined,
    undefined,
  ])
  expect(linksTo(url, 'evm', undefined)).toEqual({})
  expect(linksTo(url, 'tvm', 'iOS')).toEqual({})
  for (const [type, keys] of [
    ['evm', ['metamask', 'trust', 'coinbase']],
    ['svm', ['metamask', 'phantom', 'solflare', 'trust']],
  ] as const) {
    const links = linksTo(url, type, 'Android')
    expect(Object.keys(links)).toEqual(keys)
    for (const [key, link] of Object.entries(links)) {
      expect(wallets.find((wallet) => wallet.key === key)?.formats[type]).toBeDefined()
      expect(new URL(link).protocol).toBe('https:')
      expect(decodeURIComponent(link)).toContain(url.slice('https://'.length))
      expect(link).not.toMatch(/[{}]|amount|value/)
    }
  }
  const shown = (wallet: string) => content(data, { ...view, wallet, walletLinks: linksTo(url, 'evm', 'iOS') }).text
  expect(shown('metamask')).toMatch(
    /id="open-wallet"><a [^>]*href="https:[^"]*pay\.example[^"]*"[^>]*>Open this page in <bdi>MetaMask</,
  )
  for (const wallet of ['other', 'phantom']) expect(shown(wallet)).not.toContain('open-wallet')
})

test('no wallet gets a link with a reference or memo, and every network has a wallet of another maker', () => {
  for (const { key } of wallets) expect(codeOf(session, { ...view, wallet: key }).text).not.toMatch(/reference|memo/)
  for (const type of ['evm', 'svm', 'tvm'] as const) expect(wallets[0]?.formats[type]).toBe('address')
})

test('an explorer of the network shows the address and each transaction; without one there is no link', () => {
  const explorer = { name: 'Explorer', transaction: 'https://explorer.test/tx/', address: 'https://explorer.test/a/' }
  const sent = {
    method: 'onchain',
    networkKey: 'ethereum',
    currency: 'USDC',
    amount: '25',
    creditedAmount: '25',
    returnedAmount: '0',
    returnFailed: false,
    underDelivered: false,
    counts: true,
  } as const
  const ended = { status: 'completed', failureReason: null, settled: false, receivedAt: data.serverTime } as const
  const paid = { ...data, session: { ...session, status: 'paid', payments: [{ ...sent, ...ended, txHash: '0x/1' }] } }
  const networks = { ethereum: { name: 'Ethereum', type: 'evm', explorer } } as const
  expect(content(data, { ...view, networks }).text).toContain(`href="https://explorer.test/a/${ADDRESS}"`)
  expect(content(paid, { ...view, networks }).text).toContain('href="https://explorer.test/tx/0x%2F1"')
  const script = { ...explorer, transaction: 'javascript:alert(1)//' }
  for (const other of [undefined, script])
    expect(
      content(paid, { ...view, networks: { ethereum: { ...networks.ethereum, explorer: other } } }).text,
    ).not.toContain('class="explorer"')
})

test('without a script the page says the amount in words, the address and the end of the session', () => {
  const text = content(data, view).text
  for (const shown of ['Send <bdi>25 USDC</bdi>', ADDRESS, '12:15 UTC', '<svg']) expect(text).toContain(shown)
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
