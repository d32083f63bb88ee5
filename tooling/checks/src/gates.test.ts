import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { copyTree } from './workspace/copy.ts'

// A gate that cannot fail is none: each gets one violation planted in a copy of the tree, and must refuse it.

const { path: copy, remove } = copyTree()
afterAll(remove)

const gates: Record<
  string,
  {
    command: readonly string[]
    message: RegExp
    plant(edit: (file: string, change: (text: string) => string) => void): void
  }
> = {
  'format: another layout': {
    command: ['biome', 'check', '--error-on-warnings', 'packages/kernel'],
    message: /Formatter would have printed/,
    plant: (edit) => edit('packages/kernel/src/ids.ts', (text) => text.replace('import {', 'import   {')),
  },
  'lint: a type switched off': {
    command: ['biome', 'check', '--error-on-warnings', 'packages/kernel'],
    message: /noExplicitAny/,
    plant: (edit) =>
      edit('packages/kernel/src/ids.ts', (text) => `${text}\nexport const loose = (value: any) => value\n`),
  },
  'lint: a promise that nobody waits for': {
    command: ['biome', 'check', '--error-on-warnings', 'packages/kernel'],
    message: /noFloatingPromises/,
    plant: (edit) =>
      edit(
        'packages/kernel/src/ids.ts',
        (text) => `${text}\nexport function lost(): void {\n  Promise.reject(new Error('lost'))\n}\n`,
      ),
  },
  'lint: a setting read outside the settings': {
    command: ['biome', 'check', '--error-on-warnings', 'packages/kernel'],
    message: /noProcessEnv/,
    plant: (edit) => edit('packages/kernel/src/ids.ts', (text) => `${text}\nexport const port = process.env.PORT\n`),
  },
  'types: a wrong type': {
    command: ['tsc', '-p', '.'],
    message: /ids\.ts.*TS2322/,
    plant: (edit) => edit('packages/kernel/src/ids.ts', (text) => `${text}\nexport const wrong: number = 'text'\n`),
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
    message: /customers\.test\.ts: 9\.9\.9\.9\n[\s\S]*accounts\/rows\.ts: gmail\.com\n/,
    plant(edit) {
      edit('packages/customers/src/customers.test.ts', (text) => `${text}\nexport const address = '9.9.9.9'\n`)
      edit('tooling/stand/src/accounts/rows.ts', (text) => `${text}\nexport const email = 'ada@gmail.com'\n`)
    },
  },
  'derived: a document out of date': {
    command: ['node', 'tooling/generate/src/documents/main.ts', '--check'],
    message: /Not up to date.*docs\/derived\/errors\.md/,
    plant: (edit) =>
      edit('docs/derived/errors.md', (text) => text.replace('Customer already exists', 'Customer exists')),
  },
}

test.each(Object.entries(gates))(
  'the gate refuses %s',
  { timeout: 180_000 },
  (_name, { command: [program = '', ...args], message, plant }) => {
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
      expect(`${stdout}${stderr}`).toMatch(message)
      expect(status).not.toBe(0)
    } finally {
      for (const [path, text] of before) {
        if (text === undefined) rmSync(path)
        else writeFileSync(path, text)
      }
    }
  },
)
