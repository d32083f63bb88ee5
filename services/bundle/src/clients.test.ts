import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { build, type Rollup } from 'vite'
import { afterAll, expect, test } from 'vitest'
import { clientArchives } from './clients.ts'

const folder = mkdtempSync(join(tmpdir(), 'payments-pack-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const { sdk: archive, cli } = clientArchives()
/** What one call may add to a page, compressed, in bytes. */
const LIMIT = 6000
const ONE_CALL = `import { Payments } from '@payments/sdk'
export const swap = (id) => new Payments({ url: 'https://payments.example.com' }).swaps.get(id)
`
// An empty project, into which npm installs the archive: nothing of this repository is above it.
const project = join(folder, 'project')
mkdirSync(project)
writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n')
execFileSync('npm', ['install', archive, '--no-audit', '--no-fund', '--loglevel', 'error'], { cwd: project })
const installed = join(project, 'node_modules/@payments/sdk')

test('publint finds nothing to correct in the package', async () => {
  const { messages } = await publint({ pkgDir: installed, strict: true })
  expect(messages).toEqual([])
})

test('the types are right for each way in which the package can be imported', { timeout: 120_000 }, async () => {
  const result = await checkPackage(createPackageFromTarballData(readFileSync(archive)))
  expect(result.types).not.toBe(false)
  expect('problems' in result && result.problems).toEqual([])
})

test('the package depends on nothing, and loads as a module and with require', () => {
  expect(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).dependencies).toBeUndefined()
  const names = "['Payments', 'PaymentsError', 'isPaymentsError', 'money', 'webhooks']"
  const check = `if (${names}.some((name) => !sdk[name])) throw new Error('A name is missing')`
  writeFileSync(join(project, 'module.mjs'), `import * as sdk from '@payments/sdk'\n${check}\n`)
  writeFileSync(join(project, 'common.cjs'), `const sdk = require('@payments/sdk')\n${check}\n`)
  for (const file of ['module.mjs', 'common.cjs']) execFileSync(process.execPath, [file], { cwd: project })
})

test(`a page that makes one call loads at most ${LIMIT} bytes, compressed`, async () => {
  writeFileSync(join(project, 'page.js'), ONE_CALL)
  const rollupOptions = { input: join(project, 'page.js'), preserveEntrySignatures: 'strict' as const }
  const output = await build({
    root: project,
    configFile: false,
    logLevel: 'error',
    build: { write: false, minify: true, modulePreload: false, target: 'es2022', rollupOptions },
  })
  const chunks = (output as Rollup.RollupOutput).output
  expect(chunks).toHaveLength(1)
  const code = (chunks[0] as Rollup.OutputChunk).code
  expect(gzipSync(code).length).toBeLessThanOrEqual(LIMIT)
  // What the page does not use is left out.
  expect(code).not.toContain('whsec_')
})

test('the command line is one package without others: it starts from an empty project, and holds no code of the service', async () => {
  const place = join(folder, 'cli')
  mkdirSync(place)
  writeFileSync(join(place, 'package.json'), '{ "private": true }\n')
  execFileSync('npm', ['install', cli, '--no-audit', '--no-fund', '--loglevel', 'error'], {
    cwd: place,
  })
  expect(readdirSync(join(place, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@payments'])
  const program = join(place, 'node_modules/.bin/payments')
  const options = { cwd: place, encoding: 'utf8', env: { HOME: place } } as const
  expect(execFileSync(process.execPath, [program, 'swaps', 'create', '--help'], options)).toContain('--from-currency')
  const dist = join(place, 'node_modules/@payments/cli/dist')
  const text = globSync('**/*.js', { cwd: dist })
    .map((file) => readFileSync(join(dist, file), 'utf8'))
    .join('\n')
  for (const word of ['koa', 'mikro-orm', 'pg-boss', '@trpc']) expect(text.toLowerCase()).not.toContain(word)
})
