import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyTree, reuseTypes } from './workspace/copy.ts'

// A gate that cannot fail is none: each gets one violation planted in a copy of the tree, and must refuse it.

const { path: copy, remove } = copyTree()
reuseTypes(copy)
afterAll(remove)

/** Changes a file of the copy; one that does not exist is empty. */
type Edit = (file: string, change: (text: string) => string) => void

/** Runs a gate while violations are planted, and restores the files. */
function refused(
  [program = '', ...args]: readonly string[],
  plant: (edit: Edit) => void,
): { readonly status: number | null; readonly output: string } {
  const before = new Map<string, string | undefined>()
  try {
    plant((file, change) => {
      const path = join(copy, file)
      const text = existsSync(path) ? readFileSync(path, 'utf8') : undefined
      if (!before.has(path)) before.set(path, text)
      writeFileSync(path, change(text ?? ''))
    })
    const executable = program === 'node' ? process.execPath : join(copy, 'node_modules/.bin', program)
    const { status, stdout, stderr } = spawnSync(executable, args, {
      cwd: copy,
      encoding: 'utf8',
      env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', NO_COLOR: '1' },
    })
    return { status, output: `${stdout}${stderr}` }
  } finally {
    for (const [path, text] of before) {
      if (text === undefined) rmSync(path)
      else writeFileSync(path, text)
    }
  }
}

/** Biome reads the whole tree in each run: these are planted together, each in a file of its own, where it must be an error or a warning. */
const biome: Record<string, { readonly file: string; readonly title: string; change(text: string): string }> = {
  'format: another layout': {
    file: 'packages/kernel/src/ids.ts',
    title: 'format',
    change: (text) => text.replace('import {', 'import   {'),
  },
  'lint: a type switched off': {
    file: 'packages/kernel/src/actor.ts',
    title: 'lint/suspicious/noExplicitAny',
    change: (text) => `${text}\nexport const loose = (value: any) => value\n`,
  },
  'lint: a promise that nobody waits for': {
    file: 'packages/kernel/src/time/clock.ts',
    title: 'lint/nursery/noFloatingPromises',
    change: (text) => `${text}\nexport function lost(): void {\n  Promise.reject(new Error('lost'))\n}\n`,
  },
  'lint: a setting read outside the settings': {
    file: 'packages/kernel/src/change.ts',
    title: 'lint/style/noProcessEnv',
    change: (text) => `${text}\nexport const port = process.env.PORT\n`,
  },
}
let biomeRefused: ReturnType<typeof refused>
beforeAll(() => {
  biomeRefused = refused(['biome', 'check', '--error-on-warnings', '--reporter=github', 'packages/kernel'], (edit) => {
    for (const { file, change } of Object.values(biome)) edit(file, change)
  })
})

test.each(Object.entries(biome))('the gate refuses %s', (_name, { file, title }) => {
  expect(biomeRefused.output).toMatch(new RegExp(`^::(error|warning) title=${title},file=\\S*${file},`, 'm'))
  expect(biomeRefused.status).not.toBe(0)
})

const gates: Record<
  string,
  { readonly command: readonly string[]; readonly message: RegExp; plant(edit: Edit): void }
> = {
  'types: a wrong type': {
    command: ['tsc', '-p', '.'],
    message: /services\/ops\/src\/main\.ts.*TS2322/,
    // A file that no other imports, because what depends on it is checked again, too.
    plant: (edit) => edit('services/ops/src/main.ts', (text) => `${text}\nexport const wrong: number = 'text'\n`),
  },
  'boundaries: an import against the direction': {
    command: ['turbo', 'boundaries'],
    message: /cannot import|not allowed|tag/,
    plant(edit) {
      edit('packages/kernel/package.json', (text) =>
        text.replace('"dependencies": {', '"dependencies": {\n    "@payments/customers": "workspace:*",'),
      )
      edit(
        'packages/kernel/src/ids.ts',
        (text) => `import { customers } from '@payments/customers'\n${text}\nexport const taken = customers\n`,
      )
    },
  },
  'unused: a file that nothing needs': {
    command: ['knip'],
    message: /Unused files[\s\S]*orphan\.ts/,
    plant: (edit) => edit('packages/kernel/src/orphan.ts', () => 'export const orphan = 1\n'),
  },
  'versions: two versions of one dependency': {
    command: ['sherif', '--no-install'],
    message: /multiple-dependency-versions/,
    plant(edit) {
      edit('packages/kernel/package.json', (text) => text.replace('"zod": "catalog:"', '"zod": "3.25.0"'))
      edit('packages/customers/package.json', (text) => text.replace('"zod": "catalog:"', '"zod": "4.6.7"'))
    },
  },
  'reachable: an address and a host of another party in a test and in a fixture': {
    command: ['node', 'tooling/checks/src/reachable/main.ts'],
    message: /customers\.test\.ts: 9\.9\.9\.9\n[\s\S]*stand\/src\/rows\.ts: gmail\.com\n/,
    plant(edit) {
      edit('packages/customers/src/customers.test.ts', (text) => `${text}\nexport const address = '9.9.9.9'\n`)
      edit('tooling/stand/src/rows.ts', (text) => `${text}\nexport const email = 'ada@gmail.com'\n`)
    },
  },
  'derived: a document out of date': {
    command: ['node', 'tooling/generate/src/documents/main.ts', '--check'],
    message: /Not up to date.*docs\/derived\/errors\.md/,
    plant: (edit) =>
      edit('docs/derived/errors.md', (text) => text.replace('Customer already exists', 'Customer exists')),
  },
}

test.each(Object.entries(gates))('the gate refuses %s', { timeout: 180_000 }, (_name, { command, message, plant }) => {
  const { status, output } = refused(command, plant)
  expect(output).toMatch(message)
  expect(status).not.toBe(0)
})
