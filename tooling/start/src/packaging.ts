import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundleFiles } from '@payments/bundle'
import { root } from '@payments/checks'

/** What a process needs at run time: sources, the pages of the documentation, how it is deployed, and what says what it is. */
const PARTS = [
  ...['packages', 'services', 'docs', 'deploy', 'package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'],
  ...['LICENSE', 'README.md', 'SECURITY.md'],
]
const LEFT_OUT = /(\.test\.(ts|yaml)$)|(^(packages|services)\/(providers\/)?[^/]+\/test\/)/

export interface Packaged {
  readonly folder: string
  readonly archive: string
  readonly version: string
}

/**
 * Makes what is installed in production: the files of the service without tests and tooling, the packages that it needs to run and no others
 * (no embedded PostgreSQL, no Node), the built pay page and dashboard and the bundle that the service starts from, `sbom.cdx.json` (CycloneDX, with the licence of each package), an archive of all
 * that, and its SHA-256. The same commit makes the same files. `out` is created, and must not exist.
 * @throws Error where `out` exists, or a program fails
 */
export function createPackage(out: string): Packaged {
  if (existsSync(out)) throw new Error(`${out} exists already`)
  const { version, packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const folder = join(out, `payments-${version}`)
  const listed = execFileSync('git', ['ls-files', '-z', '--', ...PARTS], { cwd: root, encoding: 'utf8' })
  for (const file of listed.split('\0').filter((each) => each !== '' && !LEFT_OUT.test(each))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  execFileSync(process.execPath, ['services/bundle/src/main.ts'], { cwd: root, stdio: 'inherit' })
  for (const built of ['services/pay/dist', 'services/dashboard/dist', ...bundleFiles()])
    cpSync(join(root, built), join(folder, built), { recursive: true })

  const pnpm = (...args: readonly string[]) =>
    execFileSync('npx', ['--yes', `--package=${packageManager.split('+')[0]}`, '--', 'pnpm', ...args], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, CI: 'true' },
    })
  const production = ['--prod', '--no-optional', '--filter', '{./services/*}...']
  pnpm('install', '--frozen-lockfile', '--ignore-scripts', '--reporter=silent', ...production)
  const sbom = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--out', 'sbom.cdx.json']
  pnpm('sbom', ...sbom, ...production)
  writeFileSync(join(folder, 'sbom.cdx.json'), sameBill(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')))
  // What tells when and where it was installed, and is not needed to run.
  for (const state of ['.modules.yaml', '.pnpm-workspace-state-v1.json', '.pnpm-workspace-state.json'])
    rmSync(join(folder, 'node_modules', state), { force: true })

  const archive = `${folder}.tar.gz`
  // Sorted, without times and owners.
  const same = [
    '--sort=name',
    '--hard-dereference',
    '--mtime=@0',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--pax-option=delete=atime,delete=ctime',
  ]
  execFileSync('tar', [...same, '--use-compress-program=gzip -n', '-cf', archive, '-C', out, `payments-${version}`])
  const digest = createHash('sha256').update(readFileSync(archive)).digest('hex')
  writeFileSync(`${archive}.sha256`, `${digest}  payments-${version}.tar.gz\n`)
  return { folder, archive, version }
}

interface Component {
  readonly 'bom-ref': string
  readonly group?: string
  readonly licenses?: readonly unknown[]
}

/** The bill of materials, equal for equal contents: of the commit's time, in order, with our licence on our own packages. */
function sameBill(text: string): string {
  // Of a graph, pnpm 12 leaves out other edges in each run; what is installed it names completely.
  const { serialNumber: _serialNumber, dependencies: _dependencies, ...bill } = JSON.parse(text)
  const timestamp = execFileSync('git', ['log', '-1', '--format=%cI'], { cwd: root, encoding: 'utf8' }).trim()
  const { licenses } = bill.metadata.component
  const inOrder = <T>(list: readonly T[], of: (each: T) => string) => list.toSorted((a, b) => (of(a) < of(b) ? -1 : 1))
  const same = {
    ...bill,
    metadata: { ...bill.metadata, timestamp },
    components: inOrder<Component>(bill.components, (each) => each['bom-ref']).map((each) =>
      each.group === '@payments' ? { ...each, licenses } : each,
    ),
  }
  return `${JSON.stringify(same, null, 2)}\n`
}
