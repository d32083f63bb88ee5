import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyTree, reuseTypes } from '@payments/checks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { derive, follow, runIn } from '../../test/pages.ts'
import { GenerateError, generate, generateProvider } from './generate.ts'
import { namesOf } from './spellings.ts'

const { path: copy, remove } = copyTree()
reuseTypes(copy)
afterAll(remove)

const run = (program: string, ...args: string[]): string => runIn(copy, program, ...args)
const git = (...args: string[]) => spawnSync('git', args, { cwd: copy, encoding: 'utf8' }).stdout.split('\n')

/** What generators write, which is no line of anybody. */
const BY_HAND = ['packages', 'services', 'tooling', ':!*/src/generated/*', ':!packages/sdk/src/resources.ts']

describe('who follows the pages for contributors has a domain, one with a provider, an adapter of a known port and a field, which', () => {
  /** The files that the new field touches. */
  let field: string[]
  /** The tests that the pages say to run. */
  let tests: string[]
  beforeAll(() => {
    tests = ['add-a-domain.md', 'add-a-provider.md'].flatMap((page) => follow(copy, page))
    // Other tests compare with the tree as it was.
    const [tree = ''] = git('write-tree')
    git('add', '-A')
    tests.push(...follow(copy, 'add-a-field.md'))
    field = git('diff', '--name-only', '--', ...BY_HAND).filter(Boolean)
    git('read-tree', tree)
    derive(copy)
  }, 300_000)

  test('touch as many files as the page on fields says, and a test', () => {
    const page = readFileSync(join(copy, 'docs/contributing/add-a-field.md'), 'utf8')
    const tests = field.filter((file) => file.endsWith('.test.ts'))
    expect(tests).toEqual(['packages/fiat/src/orders/offramps.test.ts'])
    expect(page).toContain(
      `touches ${['no', 'one', 'two', 'three', 'four', 'five'][field.length - tests.length]} files`,
    )
  })

  test('touch their own folders and one line of each list', () => {
    const changed = git('diff', '--numstat', '--', ...BY_HAND, ':!packages/fiat').filter(Boolean)
    expect(changed.map((line) => line.split('\t')).map(([added, _removed, file]) => [file, Number(added)])).toEqual([
      // An import, a dependency and a line of the list each; the list of adapters is one line.
      ['packages/api/package.json', 2],
      ['packages/api/src/domains.ts', 4],
      ['packages/kernel/src/change.ts', 1],
      ['services/gateway/package.json', 2],
      ['services/gateway/src/adapters.ts', 4],
      ['services/gateway/test/roles.ts', 3],
    ])
    const added = git('ls-files', '--others', '--exclude-standard').filter(Boolean)
    expect(new Set(added.map((file) => file.split('/src/')[0]?.replace(/\/[\w.-]+\.json$|\/test\/.*/, '')))).toEqual(
      new Set(['packages/tickets', 'packages/grants', 'packages/providers/acmepay', 'packages/providers/grants-live']),
    )
  })

  test('pass the gate biome', { timeout: 120_000 }, () => {
    // All other files are as in the tree, where the gate has read them.
    const files = [...git('diff', '--name-only'), ...git('ls-files', '--others', '--exclude-standard')].filter(Boolean)
    expect(run('biome', 'check', '--error-on-warnings', '--files-ignore-unknown=true', ...files)).toBe('passed')
  })

  test.each<[string, ...string[]]>([
    ['tsc', '-p', '.'],
    ['knip'],
    ['turbo', 'boundaries'],
    ['sherif', '--no-install'],
    ['node', 'tooling/checks/src/architecture/main.ts'],
  ])('pass the gate %s', { timeout: 120_000 }, (program, ...args) => {
    expect(run(program, ...args)).toBe('passed')
  })

  test('have the tables that their migrations make', () => {
    const steps = (name: string) =>
      readFileSync(join(copy, `packages/${name}/src/migrations.ts`), 'utf8').match(/name: '\d{14}_\w+'/g)
    // The command of the page found no difference to write a step of.
    expect([steps('tickets'), steps('grants')].map((each) => each?.length)).toEqual([1, 2])
  })

  test('pass their own tests and those that the pages name', { timeout: 600_000 }, () => {
    expect(
      run(
        'vitest',
        'run',
        ...['packages/tickets', 'packages/grants', 'packages/providers/grants-live', 'packages/providers/acmepay'],
        ...['packages/api/src/endings.test.ts', 'packages/api/src/states.test.ts'],
        ...new Set(tests),
        // Each process loads the whole service.
        '--maxWorkers=1',
      ),
    ).toBe('passed')
  })

  test('are named in the derived documents', () => {
    const document = (name: string) => readFileSync(join(copy, `docs/derived/${name}.md`), 'utf8')
    expect(document('events')).toContain('`ticket.created`')
    expect(document('states')).toContain('## grant')
    expect(document('settings')).toContain('`GRANTS_API_KEY`')
    expect(document('settings')).toContain('`ACMEPAY_API_KEY`')
  })
})

test.each(['Invoices', 'invoice', 'in', 'access', 'pay-outs', '../routes'])('%s is no name of a domain', (name) => {
  expect(() => generate(copy, name, { provider: false })).toThrow('The name must be a plural noun')
})

test.each([
  ['routes', 'packages/routes already exists'],
  ['sessions', 'A table with the name sessions, or the states of one, already exists'],
  ['invoices', 'A table with the name invoices, or the states of one, already exists'],
])('the name %s is taken', (name, message) => {
  expect(() => generate(copy, name, { provider: false })).toThrow(new GenerateError(message))
})

test.each([
  ['acme-pay', 'fiat', 'The name must be one word of lower-case letters and digits, like "paycrest"'],
  ['fiat', 'fiat', 'packages/providers/fiat already exists'],
  ['paycrest', 'fiat', 'packages/providers/paycrest already exists'],
  ['acme', 'swaps', 'There is a template for fiat only'],
])('an adapter %s of %s is not generated', (name, port, message) => {
  expect(() => generateProvider(copy, name, port)).toThrow(message)
})

test.each([
  ['invoices', 'invoice', 'an'],
  ['policies', 'policy', 'a'],
  ['batches', 'batch', 'a'],
  ['boxes', 'box', 'a'],
  ['purchases', 'purchase', 'a'],
])('%s: one of them is %s', (plural, one, a) => {
  expect(namesOf(plural, '')).toMatchObject({ one, a })
})
