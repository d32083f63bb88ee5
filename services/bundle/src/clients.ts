import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { digestOf, filesOf, places } from './artefact.ts'

const { root } = places
/** Of the service: the clients that it serves are of the version that runs. */
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const TSC = join(root, 'services/bundle/node_modules/.bin/tsc')
/** Nothing of Node: the package runs in browsers and workers as well. */
const COMPILER = {
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  types: [],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  rewriteRelativeImportExtensions: true,
  declaration: true,
  strict: true,
  noUncheckedIndexedAccess: true,
}

/** What each client is built from, and the folder of its archive, which the gateway serves. */
const CLIENTS = {
  sdk: { sources: ['packages/sdk'], dist: 'packages/sdk/dist', pack: packSdk },
  cli: { sources: ['services/cli', 'packages/agents', 'packages/sdk'], dist: 'services/cli/dist', pack: packCli },
} as const

/** Packs the SDK and the merchants' command line, as npm would publish them, where their sources have changed since the last time. */
export async function buildClients(): Promise<void> {
  for (const { sources, dist, pack } of Object.values(CLIENTS)) {
    const folder = join(root, dist)
    const stamp = join(folder, 'sources.txt')
    const files = sources.flatMap((source) => ['src', 'README.md', 'package.json'].map((part) => join(source, part)))
    const digest = digestOf([...files.flatMap(filesOf), 'services/bundle/src/clients.ts'])
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) continue
    rmSync(folder, { recursive: true, force: true })
    await pack(folder)
    writeFileSync(stamp, digest)
  }
}

/** The archives of the SDK and the command line that were built. */
export const clientArchives = (): { readonly sdk: string; readonly cli: string } => ({
  sdk: join(root, CLIENTS.sdk.dist, `payments-sdk-${version}.tgz`),
  cli: join(root, CLIENTS.cli.dist, `payments-cli-${version}.tgz`),
})

/** The package of the SDK, with ES modules and CommonJS, as an archive in the folder `out`. */
function packSdk(out: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'payments-sdk-'))
  try {
    const source = join(root, 'packages/sdk')
    for (const type of ['module', 'commonjs'] as const) compile(source, folder, type)
    const entry = (directory: string) => ({
      types: `./${directory}/index.d.ts`,
      default: `./${directory}/index.js`,
    })
    const manifest = {
      name: '@payments/sdk',
      version,
      description: 'The payments service for programs of merchants: typed operations, safe retries, verified webhooks',
      license: 'Apache-2.0',
      type: 'module',
      sideEffects: false,
      engines: { node: '>=20' },
      main: './cjs/index.js',
      types: './cjs/index.d.ts',
      exports: { '.': { import: entry('esm'), require: entry('cjs') }, './package.json': './package.json' },
      files: ['esm', 'cjs'],
    }
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    cpSync(join(source, 'README.md'), join(folder, 'README.md'))
    cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
    archive(folder, out)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function compile(source: string, folder: string, type: 'module' | 'commonjs'): void {
  const directory = join(folder, type === 'module' ? 'esm' : 'cjs')
  const sources = join(folder, `source-${type}`)
  cpSync(join(source, 'src'), sources, { recursive: true, filter: (file) => !file.endsWith('.test.ts') })
  mkdirSync(directory)
  // The type of the nearest package.json decides what a file is, when it is compiled and when it is loaded.
  for (const each of [sources, directory])
    writeFileSync(join(each, 'package.json'), `{ "type": "${type}", "sideEffects": false }\n`)
  const compilerOptions = { ...COMPILER, rootDir: sources, outDir: directory }
  writeFileSync(join(sources, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }))
  execFileSync(TSC, ['-p', sources], { encoding: 'utf8' })
  rmSync(sources, { recursive: true })
  // The compiler leaves the names of sources in declarations, which other tools do not know.
  for (const file of globSync('**/*.d.ts', { cwd: directory })) {
    const text = readFileSync(join(directory, file), 'utf8')
    writeFileSync(join(directory, file), text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"))
  }
}

/** The package of the command line, in one file with everything that it needs, as an archive in the folder `out`. */
async function packCli(out: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'payments-cli-'))
  try {
    const source = join(root, 'services/cli')
    // Loaded where something is built: every start asks whether there is anything.
    const { build } = await import('vite')
    await build({
      root: source,
      configFile: false,
      logLevel: 'error',
      ssr: { noExternal: true },
      build: {
        ssr: join(source, 'src/main.ts'),
        outDir: join(folder, 'dist'),
        target: 'node20',
        // Node loads CommonJS at once; for an ES module that imports `node:process` it opens every stream of the process first.
        rollupOptions: { output: { format: 'cjs', entryFileNames: 'payments.js' } },
      },
    })
    const manifest = {
      name: '@payments/cli',
      version,
      description:
        'The payments service from your terminal: every operation, events forwarded to your machine, webhooks verified',
      license: 'Apache-2.0',
      type: 'commonjs',
      engines: { node: '>=20' },
      bin: { payments: 'dist/payments.js' },
      files: ['dist'],
    }
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    cpSync(join(source, 'README.md'), join(folder, 'README.md'))
    cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
    archive(folder, out)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** `npm pack`: what is in the archive is what npm would publish. */
function archive(folder: string, out: string): void {
  mkdirSync(out, { recursive: true })
  execFileSync('npm', ['pack', '--silent', '--pack-destination', out], { cwd: folder })
}
