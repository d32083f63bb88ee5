import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { packagesInside, places } from './artefact.ts'
import { build } from './build.ts'
import { clientArchives } from './clients.ts'
import { dependenciesAmong } from './graph.ts'

const { root } = places

/** What an operator reads and deploys with, beside the artefact. */
const PARTS = ['docs', 'deploy', 'LICENSE', 'README.md', 'SECURITY.md']
const LEFT_OUT = /\.test\.yaml$/
/** The package of this repository that the artefact is built of. */
const PROGRAM = '@payments/bundle@0.0.0'

export interface Packaged {
  readonly folder: string
  readonly archive: string
  /** Of the SDK and of the merchants' command line, as npm publishes them. */
  readonly clients: readonly string[]
  readonly version: string
}

/**
 * Makes what is installed in production: the artefact that `npm start` runs, which needs Node and nothing else, the documentation, how it is
 * deployed, `sbom.cdx.json` (CycloneDX, with the licence of each package and what needs what), an archive of all that, the archives of SDK and
 * command line, and the SHA-256 of each. The same commit makes the same files. `out` is created, and must not exist. `name` is the version in the names of folder and archive.
 * @throws Error where `out` exists, or a program fails
 */
export async function createPackage(out: string, name?: string): Promise<Packaged> {
  if (existsSync(out)) throw new Error(`${out} exists already`)
  const { version: own, packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const version = name ?? own
  const folder = join(out, `payments-${version}`)
  cpSync(await build(), folder, { recursive: true })
  const commit = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  const manifest = join(folder, 'files/package.json')
  writeFileSync(manifest, `${JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), commit }, null, 2)}\n`)
  const listed = execFileSync('git', ['ls-files', '-z', '--', ...PARTS], { cwd: root, encoding: 'utf8' })
  for (const file of listed.split('\0').filter((each) => each !== '' && !LEFT_OUT.test(each))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  writeFileSync(join(folder, 'sbom.cdx.json'), billOfMaterials(packageManager.split('+')[0]))
  const clients = Object.values(clientArchives()).map((file) => {
    const copy = join(out, basename(file))
    cpSync(file, copy)
    writeDigest(copy)
    return copy
  })
  return { folder, archive: archivePackage(folder), clients, version }
}

/** Packs the folder of a package, equal for equal contents, and writes the digest beside the archive. @returns the archive */
export function archivePackage(folder: string): string {
  const archive = `${folder}.tar.gz`
  // Sorted, without times and owners.
  const same = [
    '--sort=name',
    '--hard-dereference',
    '--mtime=@0',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u=rwX,go=rX',
    '--pax-option=delete=atime,delete=ctime',
  ]
  execFileSync('tar', [
    ...same,
    '--use-compress-program=gzip -n',
    '-cf',
    archive,
    '-C',
    dirname(folder),
    basename(folder),
  ])
  writeDigest(archive)
  return archive
}

function writeDigest(file: string): void {
  const digest = createHash('sha256').update(readFileSync(file)).digest('hex')
  writeFileSync(`${file}.sha256`, `${digest}  ${basename(file)}\n`)
}

interface Component {
  readonly 'bom-ref': string
  readonly group?: string
  readonly name: string
  readonly version: string
  readonly licenses?: readonly unknown[]
}

/** The bill of materials of what is in the artefact, equal for equal contents: of the commit's time, in order, with our licence on our own packages. */
function billOfMaterials(pnpm: string): string {
  // With packages for development: a library may load one where it finds it, so that it is in the artefact.
  const options = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--filter', '@payments/bundle...']
  const text = execFileSync('npx', ['--yes', `--package=${pnpm}`, '--', 'pnpm', 'sbom', ...options], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // Of the graph, pnpm 12 leaves out other edges in each run; what is installed it names completely.
  const { serialNumber: _serialNumber, dependencies: _dependencies, ...bill } = JSON.parse(text)
  const timestamp = execFileSync('git', ['log', '-1', '--format=%cI'], { cwd: root, encoding: 'utf8' }).trim()
  const { licenses } = bill.metadata.component
  const inside = new Set(packagesInside())
  const components = (bill.components as Component[])
    .filter((each) => each.group === '@payments' || inside.has(nameOf(each)))
    .toSorted((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1))
    .map((each) => (each.group === '@payments' ? { ...each, licenses } : each))
  const refs = new Map([
    [PROGRAM, bill.metadata.component['bom-ref'] as string],
    ...components.map((each): [string, string] => [nameOf(each), each['bom-ref']]),
  ])
  const dependencies = [...dependenciesAmong([...refs.keys()])].map(([from, to]) => ({
    ref: refs.get(from),
    dependsOn: to.map((each) => refs.get(each)),
  }))
  return `${JSON.stringify({ ...bill, metadata: { ...bill.metadata, timestamp }, components, dependencies }, null, 2)}\n`
}

const nameOf = ({ group, name, version }: Component): string => `${group ? `${group}/` : ''}${name}@${version}`
