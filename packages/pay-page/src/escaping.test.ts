import { describe, expect, test } from 'vitest'
import { sized } from '#testing'
import type { PayData, PaySession, View } from './data.ts'
import { messageDocument, payDocument } from './document/document.ts'
import { type Screen, screenOf } from './screens/screen.ts'
import { languages, texts } from './texts.ts'

// Hostile text in every string of the page's data, on every screen: the page must be the one that a harmless text gives.

/** The type with every field present and an element in every list: a new field does not compile here until it has a value. */
type Filled<T> = T extends readonly (infer E)[]
  ? readonly [Filled<E>, ...Filled<E>[]]
  : T extends object
    ? { readonly [Name in keyof T]-?: Filled<NonNullable<T[Name]>> }
    : T

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const ENDS = '2026-01-31T12:15:00.000Z'
const sent = {
  method: 'onchain',
  amount: '10',
  creditedAmount: '10',
  returnedAmount: '1',
  returnFailed: false,
  underDelivered: false,
  counts: true,
  failureReason: 'delivery_failed',
  settled: true,
  resolution: 'counted',
  refundTo: { address: ADDRESS, owner: 'payer' },
  receivedAt: ENDS,
} as const
const session: Filled<PaySession> = {
  id: '01936f2a-7c1e-7000-8000-000000000081',
  status: 'awaiting_payment',
  method: 'onchain',
  networkKey: 'ethereum',
  currency: 'USDC',
  amount: '25',
  pricing: { amount: '15000', currency: 'NGN', rate: '1560.5' },
  minimumAmount: '24',
  receivedAmount: '10',
  remainingAmount: '15',
  fiatValue: { amount: '25.00', currency: 'USD' },
  depositAddress: ADDRESS,
  bankAccount: {
    bankName: 'Access Bank',
    accountNumber: '9012345678',
    accountName: 'Sandbox Payments',
    amount: '15000',
    currency: 'NGN',
    reference: 'SBX-31',
    expiresAt: ENDS,
  },
  paymentUri: `ethereum:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48@1/transfer?address=${ADDRESS}&uint256=15000000`,
  payments: [
    { ...sent, txHash: '0x1', networkKey: 'ethereum', currency: 'USDC', status: 'pending' },
    { ...sent, txHash: '0x2', networkKey: 'solana', currency: 'EURC', status: 'completed' },
    { ...sent, txHash: '0x3', networkKey: 'ethereum', currency: 'USDC', status: 'refunded' },
  ],
  paidOver: true,
  paidTwice: false,
  paidLate: true,
  refundTo: { address: ADDRESS, owner: 'payer' },
  expiresAt: ENDS,
  acceptedUntil: '2026-01-31T13:15:00.000Z',
  paidAt: ENDS,
}
const data: Filled<PayData> = {
  id: session.id,
  linkId: '01936f2a-7c1e-7000-8000-000000000080',
  type: 'session',
  status: 'awaiting_payment',
  linkStatus: 'active',
  suspended: true,
  payable: true,
  environment: 'test',
  merchant: { name: 'Ada Ltd' },
  title: 'Consulting',
  description: 'In January',
  number: 'INV-000001',
  amount: '25',
  pricing: { amount: '15000', currency: 'NGN' },
  subtotal: '20',
  discount: { percent: 10, amount: '2', description: 'Early payment' },
  tax: '5',
  items: [{ description: 'Hours', quantityDecimal: '2', unitAmount: '10', subtotal: '20' }],
  currency: 'USDC',
  fiatValue: { amount: '25.00', currency: 'USD' },
  timeZone: 'UTC',
  dueAt: ENDS,
  paymentOptions: [{ networkKey: 'ethereum', currency: 'USDC', estimatedFee: '0.61', estimatedSeconds: 70 }],
  bankTransfer: {
    estimatedAmount: '39000',
    currency: 'NGN',
    minAmount: '500',
    refundAccountRequired: true,
    banks: [{ code: '058', name: 'Guaranty Trust Bank' }],
  },
  refundRequired: true,
  session,
  theme: { layout: 'card', accentColor: '#1a56db', hideBrandFooter: false },
  branding: {
    displayName: 'Ada’s workshop',
    accentColor: '#0f766e',
    backgroundColor: '#ecfdf5',
    colorScheme: 'system',
    supportEmail: 'help@ada.test',
    supportUrl: 'https://ada.test/help',
    websiteUrl: 'https://ada.test',
    legalName: 'Ada Workshop Ltd',
    address: '1 Marina, Lagos',
    taxId: '12345678-0001',
    termsUrl: 'https://ada.test/terms',
    privacyUrl: 'https://ada.test/privacy',
    logoPath: `/branding/logos/${'ab'.repeat(32)}`,
    verifiedDomain: 'ada.test',
  },
  transactionUrl: 'https://pay.test/pay/01936f2a-7c1e-7000-8000-000000000081/transaction',
  allowedOrigins: ['https://ada.test'],
  redirectUrl: 'https://ada.test/thanks',
  cancelUrl: 'https://ada.test/cart',
  serverTime: '2026-01-31T12:00:00.000Z',
}
const explorer = { name: 'Explorer', transaction: 'https://explorer.test/tx/', address: 'https://explorer.test/a/' }
const view: Filled<Omit<View, 'texts' | 'languages'>> & Pick<View, 'texts' | 'languages'> = {
  locale: 'en',
  timeZone: 'Africa/Lagos',
  texts: texts.en,
  languages,
  networks: {
    ethereum: { name: 'Ethereum', type: 'evm', explorer },
    solana: { name: 'Solana', type: 'svm', explorer },
  },
  embedded: true,
  scheme: 'dark',
  walletLinks: { metamask: 'https://wallet.test/dapp/pay.test' },
  wallet: 'metamask',
  addressOnly: false,
  preview: false,
}

const during = (status: string, more: Partial<PaySession> = {}, page: Partial<PayData> = {}): PayData => ({
  ...data,
  suspended: false,
  session: { ...session, status, ...more },
  ...page,
})
const without = (more: Partial<PayData>): PayData => ({ ...data, session: null, ...more })
const [, other, back] = session.payments
const NOTHING = { receivedAmount: '0', payments: other ? [other] : [] }
const PART = { payments: back ? [{ ...back, status: 'completed' }] : [] }
const MANY = ['ethereum', 'solana', 'base', 'tron', 'polygon', 'arbitrum']

/** Every screen, in each form that it has. */
const screens: Readonly<Record<Screen, readonly PayData[]>> = {
  choose: [
    without({ amount: null }),
    without({
      paymentOptions: MANY.map((networkKey) => ({
        networkKey,
        currency: networkKey === 'tron' ? 'USDT' : 'USDC',
        estimatedFee: '1.00',
        estimatedSeconds: 10,
      })),
    }),
  ],
  waiting: [
    during('awaiting_payment'),
    during('awaiting_payment', { ...NOTHING, method: 'bank_transfer' }),
    during('awaiting_payment', { payments: [], method: 'bank_transfer' }),
    during('awaiting_payment', NOTHING),
    during('awaiting_payment', { payments: [] }),
  ],
  underpaid: [
    during('underpaid', PART),
    during('underpaid', PART, { suspended: true }),
    during('underpaid', PART, { linkStatus: 'void' }),
    during('underpaid', NOTHING),
  ],
  confirming: [
    during('processing'),
    during('processing', { payments: [] }),
    { ...during('processing'), serverTime: '2026-01-31T13:15:00.000Z' },
  ],
  paid: [during('paid')],
  paid_already: [without({ payable: false, status: 'paid' })],
  returned: (['payer', 'organisation', 'service'] as const).map((owner) =>
    during('returned', { payments: back ? [{ ...back, refundTo: { address: ADDRESS, owner } }] : [] }),
  ),
  failed: [during('failed')],
  expired: [during('expired'), during('expired', { paidLate: false }), during('expired', NOTHING)],
  cancelled: [during('cancelled'), during('cancelled', NOTHING), during('cancelled', { ...NOTHING, payments: [] })],
  closed: [without({ payable: false, status: 'void' }), during('a status of a later version')],
}

/** The same value with the text at each path replaced, one at a time. */
function* withEach<T>(value: T, text: string): Generator<{ path: string; value: T }> {
  if (typeof value === 'string') yield { path: '', value: text as T }
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value))
    for (const changed of withEach(part, text)) {
      const copy = Array.isArray(value) ? [...value] : { ...value }
      yield {
        path: changed.path ? `${name}.${changed.path}` : name,
        value: Object.assign(copy, { [name]: changed.value }) as T,
      }
    }
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '38', '<': '60', '>': '62', '"': '34', "'": '39' }
const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${ENTITIES[char]};`)

/** A page with a harmless text in place of the hostile one, as text and as part of an address. */
const withoutHostile = (page: string, hostile: string): string =>
  page.replaceAll(escaped(hostile), HARMLESS).replaceAll(escaped(encodeURIComponent(hostile)), HARMLESS)

const PARTS = { style: '', script: '/pay/page.js' }
interface Shown {
  readonly data: PayData
  readonly view: View
}
/** The markup of a page without its colours, its code and its state, which are checked apart. */
function markup({ data: of, view: by }: Shown): string {
  return payDocument(of, by, PARTS)
    .html.replace(/<style>[^<]*<\/style>/g, '')
    .replace(/<svg.*?<\/svg>/gs, '')
    .replace(/(id="state">)[^<]*/, '$1')
}

const HARMLESS = 'Harmless'
const HOSTILE: Readonly<Record<string, string>> = {
  markup: `x"' onfocus="alert(1)"'><img src=x onerror=alert(1)></script><script>alert(1)</script>--><!-- ]]> &lt;i&gt; &`,
  'a script address': ' java\tscript:alert(1)//',
  'a template': '{merchant}{amount}{currency}$\u007bx}$&$1{{constructor}}',
  'a bidirectional override': '\u202egnp.exe\u2066',
  'a very long text': 'x'.repeat(50_000),
}
/** With these the page computes, and refuses what it cannot compute with; a code cannot hold a very long text. */
const COMPUTED = /^data\.(dueAt|session\.(paidAt|remainingAmount|payments\.\d\.amount|refundTo\.owner))$/
const IN_CODE = /^data\.session\.(depositAddress|paymentUri)$/
const ADDRESSES = /\s(?:href|src|action|formaction|xlink:href)="([^"]*)"/g
/** The pages of each case with the harmless text at a path: the same for each hostile text. */
const harmlessPages = new Map<string, string>()
function harmlessPage(form: string, path: string, shown: Shown): string {
  const name = `${form} ${path}`
  const found = harmlessPages.get(name) ?? markup(shown)
  harmlessPages.set(name, found)
  return found
}
/** In the short form a place of the data has each of the texts on one screen in five; in full, on every screen. */
const EVERY = sized(1, Object.keys(HOSTILE).length)
const cases = Object.entries(screens).flatMap(([screen, forms]) =>
  forms.map((form, index) => [screen, index, { data: form, view }] as const),
)

describe.each(Object.entries(HOSTILE))('%s', (name, hostile) => {
  test.each(cases)('in any text of the data is text on the screen %s (%i)', (screen, number, shown) => {
    expect(screenOf(shown.data)).toBe(screen)
    // The language is one of four, and its texts are the service's.
    const { texts: _texts, languages: _names, locale: _locale, ...given } = shown.view
    const changed = [...withEach({ data: shown.data, view: given }, hostile)]
    const harmless = [...withEach({ data: shown.data, view: given }, HARMLESS)]
    expect(changed.length).toBeGreaterThan(20)
    const turn = cases.findIndex((each) => each[2] === shown) + Object.keys(HOSTILE).indexOf(name)
    for (const [index, { path, value }] of changed.entries()) {
      if ((path.length + turn) % EVERY !== 0) continue
      const complete = (each: typeof value): Shown => ({ data: each.data, view: { ...shown.view, ...each.view } })
      let page: string
      try {
        page = markup(complete(value))
      } catch (error) {
        const refused = COMPUTED.test(path) || (name === 'a very long text' && IN_CODE.test(path))
        expect(refused, `${path}: ${error}`).toBe(true)
        continue
      }
      // What stands where the harmless text stands is the escaped text, and nothing else differs.
      // Of the end without a script, the time of the day alone is shown.
      const same = harmless[index]?.value
      if (!same) throw new Error(`${path} has no harmless page`)
      if (!/^data\.session\.((bankAccount\.)?expiresAt|acceptedUntil)$/.test(path))
        expect(withoutHostile(page, hostile), path).toBe(harmlessPage(`${screen} ${number}`, path, complete(same)))
      else expect(page, path).not.toMatch(/<img (?!class="logo")|<script>alert|onfocus="/)
      for (const [, address = ''] of page.matchAll(ADDRESSES))
        expect(address, path).toMatch(
          /^(\/pay\/|\/branding\/logos\/[0-9a-f]{64}$|mailto:[^?&]+$|https:\/\/|data:,$|#main$)/,
        )
    }
  })
})

test.each(cases)(
  'a bidirectional override turns around nothing but its own text on the screen %s (%i)',
  (_screen, _index, shown) => {
    const override = HOSTILE['a bidirectional override'] ?? ''
    for (const { path, value } of withEach(shown.data, override)) {
      if (COMPUTED.test(`data.${path}`)) continue
      const page = markup({ data: value, view }).replace(/<title>[^<]*|<option[^>]*>[^<]*/g, '')
      for (const [, before = '', element = '', after = ''] of page.matchAll(
        new RegExp(`>([^<>]*)(?:${override})([^<>]*)<(/?\\w+)`, 'g'),
      ))
        if (!page.includes(`<bdi>${before}${override}${element}</bdi>`))
          expect([path, before.trim(), element.trim(), after.slice(0, 1)], path).toEqual([path, '', '', '/'])
    }
  },
)

test('the state of a page ends with its element, whatever the data holds, and its colours hold nothing of the data', () => {
  for (const hostile of Object.values(HOSTILE))
    for (const { path, value } of withEach({ ...data, session: null }, hostile)) {
      if (COMPUTED.test(`data.${path}`)) continue
      const { html, styles } = payDocument(value, view, PARTS)
      const state = html.match(/id="state">([^<]*)<\/script>/)?.[1] ?? ''
      expect(JSON.parse(state).data, path).toEqual(value)
      expect(styles.join(''), path).toMatch(/^[-:#(),;{}\w]*$/)
    }
})

test('the page of an unknown id shows the id as text', () => {
  for (const hostile of Object.values(HOSTILE))
    for (const kind of ['unknown', 'unavailable', 'busy'] as const) {
      const page = (id: string) => messageDocument({ id, kind, seconds: 30 }, view, PARTS).html
      expect(page(hostile).replaceAll(escaped(hostile), HARMLESS)).toBe(page(HARMLESS))
    }
})
