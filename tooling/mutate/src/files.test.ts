import { readTree, withFiles } from '@payments/checks'
import { expect, test } from 'vitest'
import { type Kind, ruleFiles } from './files.ts'

const tree = readTree()

test('the files that write a status, a posting, an amount, an access decision or HTML are found in every domain and adapter', () => {
  const files = ruleFiles(tree)
  const kinds = (file: string) => files.get(file) ?? []
  expect(kinds('packages/cngn/src/resources/transfers.ts')).toEqual(expect.arrayContaining(['status', 'access']))
  expect(kinds('packages/cngn/src/movements/sends/send.ts')).toEqual(['decides'])
  expect(kinds('packages/cngn/src/movements/sends/table.ts')).toContain('status')
  expect(kinds('packages/fiat/src/polling/reports.ts')).toContain('status')
  expect(kinds('packages/fiat/src/entities/journal.ts')).toContain('posting')
  expect(kinds('packages/swaps/src/transactions/transactions.ts')).toEqual(
    expect.arrayContaining(['status', 'posting']),
  )
  expect(kinds('packages/swaps/src/transactions/costs.ts')).toContain('amount')
  expect(kinds('packages/collections/src/sessions/payments/apply.ts')).toEqual(
    expect.arrayContaining(['status', 'posting']),
  )
  expect(kinds('packages/routes/src/deposits/reports.ts')).toEqual(expect.arrayContaining(['status', 'posting']))
  expect(kinds('packages/pay-page/src/screens/session.ts')).toEqual(['html'])
  expect(kinds('packages/pay-page/src/html/html.ts')).toEqual(['html'])
  expect(kinds('services/pay/src/browser/page.ts')).toEqual(['html'])
  expect(kinds('packages/accounts/src/keys/keys.ts')).toEqual(['access'])
  expect(kinds('packages/ledger/src/journal/post.ts')).toContain('posting')
  const adapters = [...files].filter(([, of]) => of.includes('adapter')).map(([file]) => file.split('/')[2])
  expect(new Set(adapters)).toEqual(new Set(['cngn', 'http', 'jupiter', 'near-intents', 'paycrest', 'qoreid', 'relay']))
  expect(files.get('packages/fiat/src/schemas.ts')).toBeUndefined()
})

const planted: readonly (readonly [folder: string, kind: Kind, text: string])[] = [
  ['packages/fiat', 'status', "import { move } from '@payments/platform'\nexport const end = move"],
  [
    'packages/collections',
    'status',
    "import { createResource as c } from '@payments/platform'\nexport const create = c",
  ],
  ['packages/webhooks', 'status', "export const sql = `update webhook_deliveries set status = 'failed'`"],
  ['packages/swaps', 'posting', "import { post } from '@payments/ledger'\nexport const p = post"],
  ['packages/routes', 'amount', "import { toMinor } from '@payments/kernel'\nexport const t = toMinor"],
  ['packages/cngn', 'access', "import { countPayout } from '@payments/ledger'\nexport const c = countPayout"],
  [
    'packages/accounts',
    'access',
    "import { requireConfirmed } from './confirmation.ts'\nexport const r = requireConfirmed",
  ],
  ['packages/pay-page', 'html', "import { html } from './html/html.ts'\nexport const page = html`<p>`"],
  ['services/gateway', 'html', "export const page = '<p>'"],
  ['packages/providers/relay', 'adapter', 'export const status = (text: string) => text'],
  ['packages/fiat', 'decides', "import { applyReport } from './polling/reports.ts'\nexport const a = applyReport"],
]

test.each(planted)('a new file of %s is one of them by its %s', (folder, kind, text) => {
  const file = `${folder}/src/planted.ts`
  expect(ruleFiles(withFiles(tree, { [file]: text })).get(file)).toContain(kind)
})

test('tests, tooling, declarations, and files that import types alone are not', () => {
  const files = {
    'packages/fiat/src/planted.test.ts': "import { move } from '@payments/platform'\nexport const end = move",
    'tooling/proof/src/planted.ts': "import { move } from '@payments/platform'\nexport const end = move",
    'packages/fiat/src/planted.ts': "import type { Draft } from '@payments/ledger'\nexport type D = Draft",
    'packages/fiat/src/planted-router.ts':
      "import { applyReport } from './polling/reports.ts'\nexport const a = applyReport",
  }
  const found = ruleFiles(withFiles(tree, files))
  expect(Object.keys(files).filter((file) => found.has(file))).toEqual([])
})
