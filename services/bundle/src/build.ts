import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build as buildDashboard } from '@payments/dashboard'
import { build as buildPayPage } from '@payments/pay'
import {
  artefactDigest,
  assets,
  commands,
  current,
  filesOf,
  folderOf,
  packageAssets,
  places,
  programOf,
  type Stamp,
  threads,
} from './artefact.ts'
import { type Located, located, missingFiles, unresolvedImports } from './check.ts'
import { buildClients } from './clients.ts'
import { buildDocs } from './docs.ts'
import { isOwn, linesOf } from './maps.ts'
import { installedPackages, notices } from './notices.ts'

const { root, dist } = places
/** Artefacts that are kept: a process that runs from one loads some of its files later. */
const KEPT = 3

/** Builds the pages without which no process starts, where their sources have changed since the last time. */
export async function buildPages(): Promise<void> {
  await buildPayPage()
  await buildDashboard()
}

/**
 * Builds the artefact, if its sources have changed since the last time: one folder with everything that a process loads, which needs Node and
 * no installed package. @returns its folder. @throws Error where an import or a file that a source names would not be found there
 */
export async function build(): Promise<string> {
  await buildPages()
  await buildClients()
  await buildDocs()
  const present = current()
  if (present) return present
  const { rolldown } = await import('rolldown')
  mkdirSync(dist, { recursive: true })
  const folder = mkdtempSync(join(dist, 'building-'))
  try {
    const named: Located[] = []
    const bundle = await rolldown({
      input: Object.fromEntries(
        Object.entries({ commands, threads }).flatMap(([kind, programs]) =>
          Object.entries(programs).map(([name, source]) => [`${kind}/${name}`, join(root, source)]),
        ),
      ),
      platform: 'node',
      // It builds the pages, and nothing that runs imports it: what did would be found below.
      external: ['vite'],
      plugins: [located(named)],
      // A package tests for `eval`; and what `located` changes stays on its line.
      checks: { eval: false, sourcemapBroken: false },
      onLog(level, log) {
        if (level === 'warn') throw new Error(log.message)
      },
    })
    const lib = join(folder, 'lib')
    const { output } = await bundle.write({
      ...{ dir: lib, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      // Errors and entities are known by the names of their classes.
      keepNames: true,
      sourcemap: true,
    })
    await bundle.close()
    const chunks = output.filter((part) => part.type === 'chunk')
    for (const { fileName, map } of chunks) {
      const file = join(lib, fileName)
      if (map) writeFileSync(`${file}.map`, await linesOf(dirname(file), map))
    }
    const modules = chunks.flatMap(({ moduleIds }) => moduleIds)
    copyAssets(folder)
    const installed = installedPackages(modules)
    writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), notices(installed))
    const problems = [...unresolvedImports(lib, chunks), ...missingFiles(folder, named, modules)]
    if (problems.length > 0) throw new Error(`The artefact would not run:\n${problems.join('\n')}`)
    const sources = modules
      .map((id) => relative(root, id))
      .filter(isOwn)
      .concat(filesOf('services/bundle/src').filter((file) => !file.includes('.test.')))
      .sort()
    const packages = installed.map(({ name, version }) => `${name}@${version}`)
    return publish(folder, { sources, packages, digest: artefactDigest(sources) })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What the sources read beside themselves, the program, and what says which version it is. */
function copyAssets(folder: string): void {
  const files = join(folder, 'files')
  for (const asset of assets) cpSync(join(root, asset), join(files, asset), { recursive: true })
  for (const { user, name, files: parts } of packageAssets)
    for (const part of ['package.json', ...parts])
      cpSync(join(root, user, 'node_modules', name, part), join(files, 'node_modules', name, part), {
        recursive: true,
        dereference: true,
      })
  for (const [name, source] of Object.entries(threads)) {
    const place = join(files, source)
    mkdirSync(dirname(place), { recursive: true })
    const built = relative(dirname(place), join(folder, `lib/threads/${name}.mjs`))
    writeFileSync(place, `import '${built}'\n`)
  }
  mkdirSync(join(folder, 'bin'))
  copyFileSync(fileURLToPath(new URL('program.mjs', import.meta.url)), programOf(folder))
  copyFileSync(fileURLToPath(new URL('commands.json', import.meta.url)), join(folder, 'lib/commands.json'))
  chmodSync(programOf(folder), 0o755)
  const { name, version, license, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { engines } = JSON.parse(readFileSync(join(root, 'services/bundle/package.json'), 'utf8'))
  const manifest = { name, version, license, type, private: true, engines, bin: { payments: 'bin/payments' } }
  // The one beside what it reads says which version runs.
  for (const place of [folder, files])
    writeFileSync(join(place, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Renames what was built to the digest of its sources, then replaces the stamp: a process that starts in between finds a complete artefact. */
function publish(built: string, stamp: Stamp): string {
  const folder = folderOf(stamp.digest)
  chmodSync(built, 0o755)
  if (existsSync(folder) && !existsSync(programOf(folder))) rmSync(folder, { recursive: true })
  try {
    renameSync(built, folder)
  } catch (error) {
    // Another process has built the same.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
  const next = `${built}.json`
  writeFileSync(next, JSON.stringify(stamp))
  renameSync(next, places.stamp)
  const builtAt = (path: string) => statSync(path).mtimeMs
  const others = readdirSync(dist)
    .filter((name) => /^[0-9a-f]{16}$/.test(name))
    .map((name) => join(dist, name))
    .filter((path) => path !== folder)
  for (const old of others.toSorted((one, other) => builtAt(other) - builtAt(one)).slice(KEPT - 1))
    rmSync(old, { recursive: true, force: true })
  return folder
}
