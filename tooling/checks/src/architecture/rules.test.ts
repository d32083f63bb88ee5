import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../workspace/workspace.ts'
import { ranks } from './rules/order.ts'
import { owners } from './rules/tables.ts'
import { broken, rules } from './rules.ts'
import { domainFolders, isTest, readTree, type Tree, withFiles } from './tree.ts'

// Every rule gets violations planted in the tree, and must name them.

const tree = readTree()
const text = (file: string) => readFileSync(join(root, file), 'utf8')

test('the tree breaks no rule', () => {
  expect(broken(tree)).toEqual({})
})

test('every file of every domain has a place in the order', () => {
  const files = [...tree.sources.keys()].filter(
    (file) => !isTest(file) && domainFolders(tree).some((folder) => file.startsWith(`${folder}/`)),
  )
  expect(files.length).toBeGreaterThan(100)
  expect([...ranks(tree).keys()].sort()).toEqual(files.sort())
})

test('every table has one owner, whichever way it came to its name', () => {
  const renamed = { 'packages/routes/src/planted.ts': "export const up = 'alter table x rename to planted_routes'" }
  const owned = owners(withFiles(tree, renamed))
  expect(owned.get('customers')).toBe('@payments/customers')
  expect(owned.get('ledger_postings')).toBe('@payments/ledger')
  expect(owned.get('planted_routes')).toBe('@payments/routes')
  expect(owned.get('idempotency_keys')).toBe('@payments/platform')
})

const KERNEL = 'The kernel is pure: no driver, ORM, queue, I/O or environment'
const TABLES = 'A package names its own tables only'
const FILES = 'No file imports itself through others'
const PACKAGES = 'No package depends on itself through others'
const ORDER = 'Inside a domain: schemas, entities, services, routers and jobs, index'
const TESTS = 'Test code lives in tests'
const FAKES = 'A fake shares nothing with the adapter that it checks'
const CHOICE = 'An existing object is asked of its own provider'
const INDEX = 'A package is used through its index'
const HTTP = 'HTTP is spoken by the gateway alone'
const REMOTE = 'Clients take types of the service alone'
const SDK = 'The SDK depends on nothing'
const ORM = 'Only entities and services use the ORM'
const STATEMENTS = 'Statements are sent by the platform’s calls alone'
const BLOCKS = 'Two packages share no block of eight lines'
const ROOMS = 'The folders of a package have an order'
const FOLDERS = 'A folder has at most ten files and folders'
const PATHS = 'A path is decoded from the address of a file'
const LOCKS = 'A row is read under a lock before it is updated with what follows from it'

const EIGHT_LINES = Array.from({ length: 8 }, (_, number) => `export const value${number} = ${number}`).join('\n')

type Planted = readonly [rule: string, line: string, files: Record<string, string>, more?: (tree: Tree) => Tree]

/** A package.json with other dependencies or exports. */
const withManifest = (name: string, manifest: object) => (of: Tree) => ({
  ...of,
  packages: of.packages.map((each) =>
    each.name === name ? { ...each, manifest: { ...each.manifest, ...manifest } } : each,
  ),
})
/** One file whose text breaks a rule, and how the line that names it goes on. */
const plant = (rule: string, file: string, line: string, text: string): Planted => [
  rule,
  `${file}${line}`,
  { [file]: text },
]
/** A statement of routes that names a table of another package. */
const names = (table: string, statement: string): Planted =>
  plant(
    TABLES,
    'packages/routes/src/planted.ts',
    `:1 names ${table}`,
    `export const planted = (db: any) => ${statement}`,
  )

const planted: readonly Planted[] = [
  ...[
    `export const planted = ${"new URL('thread.mjs', import.meta.url)"}.pathname`,
    "const FOLDER = new URL('./', import.meta.url)\nexport const planted = new URL('a.ts', FOLDER).pathname",
    "const FOLDER: URL = new URL('./', import.meta.url)\nexport const { pathname } = FOLDER",
  ].map((text) => plant(PATHS, 'packages/pdf/src/planted.ts', `:${text.split('\n').length} takes a path`, text)),
  [
    PATHS,
    'tooling/bench/src/planted-b.ts:2 takes a path from an address',
    {
      'tooling/bench/src/planted-a.ts': "export const ROOT = new URL('../../../', import.meta.url)",
      'tooling/bench/src/planted-b.ts': "import { ROOT } from './planted-a.ts'\nexport const planted = ROOT.pathname",
    },
  ],
  ...[
    ['const row = await em.findOne(E, { id })', 'updates row, which was read without a lock'],
    ['const { order: row } = await findForOperator(unit, id)', 'updates row, which was read without a lock'],
  ].map(
    ([read, line]): Planted => [
      LOCKS,
      `packages/routes/src/planted.ts:3 ${line}`,
      {
        'packages/routes/src/planted.ts': `export async function planted(em: any, id: any) {\n  ${read}\n  await em.nativeUpdate(E, { id: row.id }, { count: row.count + 1 })\n}`,
      },
    ],
  ),
  [
    LOCKS,
    'packages/routes/src/planted-b.ts:4 updates order by change, which was read without a lock',
    {
      'packages/routes/src/planted-a.ts':
        'const write = async (em: any, row: any, fields: any) => {\n  const changes = { ...fields, at: later(row.at) }\n  await em.nativeUpdate(E, { id: row.id }, changes)\n}\nexport const change = (em: any, row: any) => write(em, row, {})',
      'packages/routes/src/planted-b.ts':
        "import { change } from './planted-a.ts'\nexport const planted = async (em: any) => {\n  const order = await findAnywhere(em)\n  await change(em, order)\n}",
    },
  ],
  ...['updateRow(unit, E, row, { count: 1 })', 'updateResource(unit, of, row, { count: 1 })'].map(
    (write): Planted => [
      LOCKS,
      `packages/routes/src/planted.ts:3 updates row by ${write.split('(')[0]}, which was read without a lock`,
      {
        'packages/routes/src/planted.ts': `export async function planted(unit: any, em: any, id: any) {\n  const row = await em.findOne(E, { id })\n  await ${write}\n}`,
      },
    ],
  ),
  [
    ROOMS,
    'packages/operators/src/approvals/planted.ts imports overview, which stands above approvals',
    { 'packages/operators/src/approvals/planted.ts': "export { auditLog } from '../overview/audit.ts'" },
  ],
  [
    ROOMS,
    'packages/routes/src/index.ts does not say in which order planted stand',
    { 'packages/routes/src/planted/planted.ts': 'export const planted = 1' },
  ],
  [
    ROOMS,
    'packages/views/src: high ↔ low',
    {
      'packages/views/src/low/planted.ts': "import type { High } from '../high/planted.ts'\nexport type Low = High | 1",
      'packages/views/src/high/planted.ts': 'export type High = 2',
      'packages/views/src/high/other.ts': "export type { Low } from '../low/planted.ts'",
    },
  ],
  [
    FILES,
    'services/dashboard/src/browser/planted-a.tsx ↔ services/dashboard/src/browser/planted-b.tsx',
    {
      'services/dashboard/src/browser/planted-a.tsx':
        "import { B } from './planted-b.tsx'\nexport const A = () => <B />",
      'services/dashboard/src/browser/planted-b.tsx':
        "import { A } from './planted-a.tsx'\nexport const B = () => <A />",
    },
  ],
  [
    BLOCKS,
    'packages/fiat/src/planted.ts:3 repeats packages/providers/relay/test/planted.ts:1',
    {
      'packages/fiat/src/planted.ts': `import { z } from 'zod'\n\n${EIGHT_LINES}`,
      'packages/providers/relay/test/planted.ts': EIGHT_LINES,
    },
  ],
  ...['packages/customers/src/planted', 'tooling/proof/src/fuzz/planted'].map(
    (folder): Planted => [
      FOLDERS,
      `${folder} has 11 entries`,
      Object.fromEntries(
        [...Array.from({ length: 10 }, (_, number) => `${number}.ts`), 'folder/file.ts', '0.test.ts', 'index.ts'].map(
          (name) => [`${folder}/${name}`, 'export const planted = 1'],
        ),
      ),
    ],
  ),
  plant(KERNEL, 'packages/kernel/src/planted.ts', ' imports pg', "import 'pg'"),
  plant(
    CHOICE,
    'packages/routes/src/planted.ts',
    ':2 chooses a provider',
    'export const planted = ({ runtime }: any, row: any) =>\n  runtime.providers.for(port, row.environment)',
  ),
  plant(KERNEL, 'packages/kernel/src/planted.ts', ' imports node:fs', "export { readFileSync } from 'node:fs'"),
  plant(KERNEL, 'packages/kernel/src/planted.ts', ' uses process', 'export const port = process.env.PORT'),
  names('customers', "db.query('select * from customers where id = $1')"),
  names('sessions', 'db.sql`delete from sessions where id = 1`'),
  names('events', "db.query('insert into events (id) values ($1)')"),
  names('users', "db.query('update users set name = $1')"),
  names('customers', "db.query('alter table if exists customers disable trigger all')"),
  names('organisations', "db.query('select 1 from payment_routes r, organisations o')"),
  names('customers', "db.selectFrom('customers as c')"),
  names('customers', "db.define({ tableName: 'customers' })"),
  names('customers', "db.raw('left join customers c on c.id = r.customer_id')"),
  [
    FILES,
    'packages/kernel/src/planted-a.ts ↔ packages/kernel/src/planted-b.ts',
    {
      'packages/kernel/src/planted-a.ts': "import { b } from './planted-b.ts'\nexport const a = b",
      'packages/kernel/src/planted-b.ts': "export type A = import('./planted-a.ts').A\nexport const b = 1",
    },
  ],
  plant(
    FILES,
    'packages/platform/src/operations/context/context.ts',
    ' ↔',
    `import type { Domain } from '../../domain/domain.ts'\n${text('packages/platform/src/operations/context/context.ts')}\nexport type Planted = Domain`,
  ),
  [
    PACKAGES,
    '@payments/customers ↔ @payments/ledger ↔ @payments/routes',
    {
      'packages/customers/src/planted.ts':
        "import type { DepositReport } from '@payments/routes'\nexport type P = DepositReport",
    },
  ],
  [
    PACKAGES,
    '@payments/customers ↔ @payments/ledger ↔ @payments/routes',
    {},
    withManifest('@payments/customers', { dependencies: { '@payments/routes': 'workspace:*' } }),
  ],
  plant(
    ORDER,
    'packages/customers/src/entity.ts',
    ' (entities) imports packages/customers/src/service.ts (services)',
    "import { find } from './service.ts'\nexport const present = find",
  ),
  [
    ORDER,
    'packages/customers/src/schemas.ts (schemas) imports packages/customers/src/planted.ts (entities)',
    {
      'packages/customers/src/planted.ts': "export { present } from './entity.ts'",
      'packages/customers/src/schemas.ts': "import { present } from './planted.ts'\nexport const Customer = present",
    },
  ],
  plant(
    ORDER,
    'packages/customers/src/planted.ts',
    ' (index) imports packages/customers/src/index.ts (index)',
    "export { customers } from './index.ts'",
  ),
  plant(
    TESTS,
    'packages/customers/src/planted.ts',
    ' imports vitest',
    "import { expect } from 'vitest'\nexport const e = expect",
  ),
  plant(
    TESTS,
    'packages/customers/src/planted.ts',
    ' imports #testing',
    "import { call } from '#testing'\nexport const c = call",
  ),
  plant(
    TESTS,
    'packages/customers/src/planted.ts',
    ' imports @payments/stand',
    "import { bookOf } from '@payments/stand'\nexport const b = bookOf",
  ),
  plant(
    TESTS,
    'packages/ledger/src/planted.ts',
    ' imports packages/ledger/test/model.ts',
    "export { PlainLedger } from '../test/model.ts'",
  ),
  plant(
    FAKES,
    'packages/providers/jupiter/test/chain.ts',
    ' imports ../src/tokens.ts',
    `${text('packages/providers/jupiter/test/chain.ts')}\nexport { DECIMALS } from '../src/tokens.ts'`,
  ),
  plant(
    FAKES,
    'packages/providers/cngn/test/server.ts',
    ' imports ../src/keys.ts',
    `${text('packages/providers/cngn/test/server.ts')}\nexport { seedOf } from '../src/keys.ts'`,
  ),
  plant(
    FAKES,
    'packages/providers/relay/test/planted.ts',
    ' imports @payments/kernel',
    "export { toMinor } from '@payments/kernel'",
  ),
  plant(
    FAKES,
    'packages/providers/paycrest/test/book.ts',
    ' is not the only one that imports the adapter',
    `${text('packages/providers/paycrest/test/book.ts')}\nexport { paycrest } from '../src/paycrest.ts'`,
  ),
  plant(
    INDEX,
    'packages/platform/src/records/planted.ts',
    ' imports packages/platform/src/work/index.ts',
    "export { inTurn } from '../work/index.ts'",
  ),
  plant(
    INDEX,
    'packages/routes/src/planted.ts',
    ' imports @payments/customers/src/service.ts',
    "export { find } from '@payments/customers/src/service.ts'",
  ),
  plant(
    INDEX,
    'packages/routes/src/planted.ts',
    ' imports packages/customers/src/service.ts',
    "export { find } from '../../customers/src/service.ts'",
  ),
  [
    INDEX,
    'packages/customers/package.json exports more than its index',
    {},
    withManifest('@payments/customers', { exports: { '.': './src/index.ts', './rows': './src/entity.ts' } }),
  ],
  plant(
    HTTP,
    'packages/customers/src/planted.ts',
    ' imports node:http',
    "import type { IncomingMessage } from 'node:http'\nexport type P = IncomingMessage",
  ),
  plant(HTTP, 'packages/api/src/planted.ts', ' imports koa', "import 'koa'"),
  plant(
    REMOTE,
    'packages/client/src/planted.ts',
    ' imports @payments/api',
    "import { appRouter } from '@payments/api'\nexport const r = appRouter",
  ),
  plant(REMOTE, 'services/ops/src/planted.ts', ' imports @payments/kernel', "export { isId } from '@payments/kernel'"),
  plant(SDK, 'packages/sdk/src/planted.ts', ' imports uuid', "import { v7 } from 'uuid'\nexport const planted = v7"),
  plant(SDK, 'packages/sdk/src/planted.ts', ' uses Buffer', 'export const planted = Buffer'),
  plant(
    ORM,
    'packages/customers/src/schemas.ts',
    ' imports @mikro-orm/core',
    "import { p } from '@mikro-orm/core'\nexport const Customer = p",
  ),
  plant(
    ORM,
    'services/gateway/src/planted.ts',
    ' imports @mikro-orm/core',
    "import { p } from '@mikro-orm/core'\nexport const planted = p",
  ),
  plant(
    STATEMENTS,
    'packages/customers/src/planted.ts',
    ' imports kysely',
    "import { sql } from 'kysely'\nexport const planted = sql`select 1`",
  ),
  plant(
    STATEMENTS,
    'packages/platform/src/records/planted.ts',
    ' uses getKysely',
    "export const planted = (em: { getKysely(): { selectFrom(of: string): object } }) => em.getKysely().selectFrom('x')",
  ),
]

test.for(planted)('%s: %s', ([rule, line, files, more = (same) => same]) => {
  // The other rules are not asked: all of them over the whole tree take half a second.
  expect(rules[rule]?.(more(withFiles(tree, files))).join('\n')).toContain(line)
})

test('every rule has a planted violation', () => {
  expect(new Set(planted.map(([rule]) => rule))).toEqual(new Set(Object.keys(rules)))
})

test('prose, foreign keys, own parts of a statement and names of columns are no tables of others', () => {
  const allowed = {
    'packages/routes/src/refunds/planted.ts': `export const planted = (db: any) => [
      'Lists routes from customers, and updates on sessions',
      db.query('create table planted (id uuid references customers, customer_id uuid references organisations (id))'),
      db.query('with sessions as (select 1) select events from sessions'),
    ]`,
  }
  expect(broken(withFiles(tree, allowed))).toEqual({})
})
