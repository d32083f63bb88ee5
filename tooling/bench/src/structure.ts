import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { packagesOf, readTree, root, type Source } from '@payments/checks'
import { domainsOf } from '@payments/platform'
import { newMerchant, samples, startStand } from '@payments/stand'

const FILE = 'docs/derived/structure.md'

/**
 * How large the code is and how much of it one question enters, for those who change it: lines by package, the fullest folder, and the files
 * whose functions run for `POST /v1/offramps` and for one poll that finds its deposit. Writes docs/derived/structure.md.
 */
export async function benchStructure(print: (line: string) => void): Promise<void> {
  const sizes = sizesOf()
  const [request, poll] = await entered()
  const total = (of: (size: Size) => number, folder: RegExp) =>
    sizes.filter((size) => folder.test(size.folder)).reduce((sum, size) => sum + of(size), 0)
  const product = /^(packages|services)\//
  const facts = [
    ['Lines of the product, without tests', total(({ lines }) => lines, product)],
    ['Lines of its tests', total(({ tests }) => tests, product)],
    ['Lines of tooling', total(({ lines, tests }) => lines + tests, /^tooling\//)],
    ['Packages of tooling', sizes.filter(({ folder }) => folder.startsWith('tooling/')).length],
    [
      'Most files and folders in a folder of the product',
      Math.max(...sizes.filter(({ folder }) => product.test(folder)).map(({ widest }) => widest)),
    ],
    ['Files that `POST /v1/offramps` enters', request.length],
    ['Packages that it enters', new Set(request.map(packageOf)).size],
    ['Files that one poll enters which finds the deposit of an offramp', poll.length],
  ] as const
  for (const [name, value] of facts) print(`  ${name}: ${value}`)
  const commit = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  writeFileSync(
    join(root, FILE),
    `# Structure

Written by \`npm run bench -- structure\` at commit \`${commit}\`; never edited. What holds always is checked: no circle of files or of packages, at most ten files and folders in a folder ([architecture](../decisions/architecture.md)).

${table(
  ['What', 'Number'],
  facts.map(([name, value]) => [name, value.toLocaleString('en')]),
)}

${table(
  ['Package', 'Files', 'Lines', 'Lines of tests', 'Fullest folder'],
  sizes.map(({ folder, files, lines, tests, widest }) => [
    folder,
    ...[files, lines, tests, widest].map((value) => value.toLocaleString('en')),
  ]),
)}

## What \`POST /v1/offramps\` enters

${list(request)}

## What one poll enters which finds the deposit of an offramp

${list(poll)}
`,
  )
  print(`  Written to ${FILE}`)
}

interface Size {
  readonly folder: string
  readonly files: number
  readonly lines: number
  readonly tests: number
  /** Files and folders in its fullest folder: a file and its test are one, the index is none. */
  readonly widest: number
}

function sizesOf(): Size[] {
  const { packages, sources } = readTree()
  const folders = packages.map(({ folder }) => folder).sort()
  return folders.map((folder) => {
    const own = [...sources.values()].filter(
      ({ file }) => folders.findLast((each) => file.startsWith(`${each}/`)) === folder,
    )
    const tests = own.filter(({ file }) => isTest(file))
    const code = own.filter(({ file }) => !isTest(file))
    return { folder, files: code.length, lines: linesOf(code), tests: linesOf(tests), widest: widestOf(code) }
  })
}

const isTest = (file: string): boolean => file.endsWith('.test.ts') || file.includes('/test/')
const linesOf = (sources: readonly Source[]): number =>
  sources.reduce((sum, { file }) => sum + readFileSync(join(root, file), 'utf8').split('\n').length - 1, 0)

function widestOf(sources: readonly Source[]): number {
  const entries = new Map<string, Set<string>>()
  for (const { file } of sources) {
    if (file.endsWith('/index.ts')) continue
    for (let entry = file, folder = dirname(file); folder.includes('/src'); entry = folder, folder = dirname(folder))
      entries.set(folder, (entries.get(folder) ?? new Set()).add(entry))
  }
  return Math.max(0, ...[...entries.values()].map(({ size }) => size))
}

/** The files whose functions a request and a poll enter, each the second time: the first loads what is loaded with its first use. */
async function entered(): Promise<[request: string[], poll: string[]]> {
  const service = await startStand()
  const session = new Session()
  session.connect()
  const files = async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const urls = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    return urls
      .flatMap(({ url }) => (url.startsWith('file:') ? [fileURLToPath(url)] : []))
      .filter(
        (file) => file.startsWith(root) && /\/(packages|services)\//.test(file) && !file.includes('/node_modules/'),
      )
      .map((file) => file.slice(root.length).replace(/^\//, ''))
      .sort()
  }
  try {
    const merchant = await newMerchant(service)
    const task = domainsOf(service.runtime)
      .flatMap(({ work }) => work?.tasks ?? [])
      .find(({ name }) => name === 'fiat.poll')
    if (!task) throw new Error('There is no task fiat.poll')
    const create = async () => {
      const { status, body } = await merchant.call(`POST ${samples.offramp.path}`, { body: samples.offramp.body() })
      if (status !== 201) throw new Error(`POST ${samples.offramp.path} answered ${status}`)
      return body.data.id as string
    }
    const fund = async (id: string) => {
      const [line, body] = samples.offramp.fund(id)
      await merchant.call(line, { body })
    }
    // The task begins polls and does not wait for them.
    const poll = async (id: string) => {
      const { pool } = service.runtime
      await task.run(service.runtime)
      for (const until = Date.now() + 10_000; Date.now() < until; await sleep(10)) {
        const { rows } = await pool.query('select status from offramps where id = $1', [id])
        if (rows[0].status !== 'pending') return
      }
      throw new Error('The poll found no deposit')
    }
    const first = await create()
    await fund(first)
    await poll(first)
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    const id = await create()
    const request = await files()
    await fund(id)
    await files()
    await poll(id)
    return [request, await files()]
  } finally {
    session.disconnect()
    await service.stop()
  }
}

const packageOf = (file: string): string =>
  packagesOf()
    .map(({ folder }) => folder)
    .filter((folder) => file.startsWith(`${folder}/`))
    .sort()
    .at(-1) ?? ''
const list = (files: readonly string[]): string => files.map((file) => `- ${file}`).join('\n')
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, column) => (column === 0 ? '---' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
