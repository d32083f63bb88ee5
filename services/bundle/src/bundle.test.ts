import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  artefact,
  assets,
  commands,
  current,
  filesOf,
  folderOf,
  manifestsOf,
  places,
  programOf,
  type Stamp,
} from './artefact.ts'
import { missingFiles, unresolvedImports } from './check.ts'
import { writtenFrom } from './docs.ts'

const stamp = () => JSON.parse(readFileSync(places.stamp, 'utf8')) as Stamp
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payments-artefact-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('the artefact is made of every source that a process loads, and of no test', () => {
  const { sources, packages } = stamp()
  expect(current()).toBe(folderOf(stamp().digest))
  expect(sources).toContain('services/gateway/src/server.ts')
  expect(sources).toContain('packages/kernel/src/actor.ts')
  expect(sources).toContain('services/maintenance/src/commands/migrate.ts')
  expect(sources).toContain('services/bundle/src/build.ts')
  expect(sources.filter((file) => /\.test\.ts$|\/test\/|^tooling\//.test(file))).toEqual([])
  expect(packages.filter((name) => /^(pdfkit|koa|@mikro-orm\/core)@/.test(name)).length).toBe(3)
  expect(packages.filter((name) => /^(vite|vitest|rolldown|@payments\/.*)@/.test(name))).toEqual([])
})

test('a change of a source, of a page of the documentation or of another built page is a change of the artefact', () => {
  const copy = temporaryFolder()
  const own = join(copy, 'services/bundle/src/artefact.ts')
  const found = () =>
    execFileSync(process.execPath, ['--eval', `import('${own}').then(({ current }) => console.log(current()))`], {
      encoding: 'utf8',
    }).trim()
  const versions = ['package.json', 'pnpm-lock.yaml', 'services/bundle/package.json']
  for (const file of [...stamp().sources, ...assets.flatMap(filesOf), ...manifestsOf(stamp().sources), ...versions]) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(places.root, file), join(copy, file))
  }
  expect(found()).toBe('undefined')
  const dist = join(copy, 'services/bundle/dist')
  const folder = join(dist, basename(folderOf(stamp().digest)))
  mkdirSync(join(folder, 'bin'), { recursive: true })
  cpSync(places.stamp, join(dist, 'current.json'))
  expect(found()).toBe('undefined')
  writeFileSync(programOf(folder), '')
  expect(found()).toBe(folder)
  for (const file of [
    'packages/kernel/src/actor.ts',
    'packages/kernel/package.json',
    'services/gateway/dist/index.json',
    'services/pay/dist/page.js',
  ]) {
    const text = readFileSync(join(copy, file))
    writeFileSync(join(copy, file), `${text} `)
    expect([file, found()]).toEqual([file, 'undefined'])
    writeFileSync(join(copy, file), text)
  }
  writeFileSync(join(copy, 'services/gateway/dist/another.br'), '')
  expect(found()).toBe('undefined')
})

test('the documentation is written again when a guide, an error, an operation or a client changes', () => {
  for (const file of [
    ...['docs/guides/index.md', 'docs/verify/verify.ts', 'docs/derived/openapi.json', 'packages/swaps/src/errors.ts'],
    ...['packages/swaps/src/api/router.ts', 'services/gateway/src/docs/layout.ts', 'packages/sdk/dist/sources.txt'],
  ])
    expect(writtenFrom()).toContain(file)
  expect(writtenFrom().filter((file) => /\.test\.|node_modules/.test(file))).toEqual([])
})

test('an import or a file that would not be found in the artefact ends the build, which names it', () => {
  const folder = temporaryFolder()
  const chunk = {
    fileName: 'commands/start.mjs',
    imports: ['node:fs', 'part.mjs', 'absent-package'],
    dynamicImports: [],
  }
  expect(
    unresolvedImports(join(folder, 'lib'), [chunk, { fileName: 'part.mjs', imports: [], dynamicImports: [] }]),
  ).toEqual(['commands/start.mjs imports absent-package, which is not there'])
  const module = join(places.root, 'packages/pdf/src/text/fonts.ts')
  const named = [
    { module, by: 'URL', name: '../absent.css' },
    { module, by: 'resolve', name: 'dejavu-fonts-ttf/ttf/Absent.ttf' },
    { module: join(places.root, 'packages/pdf/src/unused.ts'), by: 'URL', name: './absent.css' },
  ] as const
  expect(missingFiles(artefact(), named, [module])).toEqual([
    'packages/pdf/src/text/fonts.ts reads ../absent.css, which is not there',
    'packages/pdf/src/text/fonts.ts reads dejavu-fonts-ttf/ttf/Absent.ttf, which is not there',
  ])
})

const payments = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [programOf(artefact()), ...args], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('the program says what it can do, and what a command does, without doing it', () => {
  const list = payments('help')
  expect([list.status, list.stderr]).toEqual([0, ''])
  expect(list.stdout.split('\n').flatMap((line) => line.match(/^payments ([a-z-]+)/)?.[1] ?? [])).toEqual(
    Object.keys(commands),
  )
  expect(payments('--help')).toEqual(list)
  const migrate = { status: 0, stderr: '', stdout: expect.stringMatching(/^payments migrate\n {4}Migrates .+\n$/) }
  expect([payments('migrate', '--help'), payments('migrate', '-h'), payments('help', 'migrate')]).toEqual(
    Array(3).fill(migrate),
  )
})

test('a command line that the program does not know is refused in one line before anything is done', () => {
  const list = Object.keys(commands).join(', ')
  for (const [args, text] of [
    [[], `Name a command: one of ${list}\n`],
    [['begin'], `Unknown command begin: one of ${list}\n`],
    [['help', 'begin'], `Unknown command begin: one of ${list}\n`],
    [['constructor'], `Unknown command constructor: one of ${list}\n`],
    [['migrate', '--dry-run'], 'payments migrate has no options, and was given --dry-run\n'],
    [['start', '3000'], 'payments start has no options, and was given 3000\n'],
    [['backup', '--form', 'a'], "Unknown option '--form': payments backup --to <file>\n"],
    [['restore', 'a'], "Unexpected argument 'a': payments restore --from <file>\n"],
  ] as const)
    expect(payments(...args), args.join(' ')).toEqual({ status: 2, stdout: '', stderr: text })
})
