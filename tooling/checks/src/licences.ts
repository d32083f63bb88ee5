import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packagesOf } from './workspace/workspace.ts'

/** Licences that a business may run, change and pass on with this service, as SPDX writes them. */
const ALLOWED: readonly string[] = [
  ...[
    'MIT',
    'MIT-0',
    'ISC',
    'Apache-2.0',
    // Of typefaces: they may be embedded and passed on with any program.
    'OFL-1.1',
    'MIT AND OFL-1.1',
    'BSD-2-Clause',
    'BSD-3-Clause',
    '0BSD',
    'BlueOak-1.0.0',
    'Unlicense',
    'CC0-1.0',
  ],
  ...['(MIT OR Apache-2.0)', '(MIT OR CC0-1.0)'],
]

/** Packages with other licences, and why they may be used. */
const EXPLAINED: Readonly<Record<string, string>> = {
  '@embedpdf/fonts-sc':
    'The SIL Open Font License: fonts may be embedded in documents and passed on under their own name',
  'dejavu-fonts-ttf':
    'The licence of Bitstream Vera: fonts may be embedded in documents and passed on under their own name',
  lightningcss:
    'The Mozilla Public License: it minifies style sheets when the service is built, and is in nothing that is passed on',
  'png-js': 'MIT by its file LICENSE; its package.json does not say so',
}

interface Manifest {
  readonly name: string
  readonly license?: unknown
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/**
 * The packages that the service needs to run, and theirs, whose licence is neither allowed nor explained: `name: licence`. A package
 * without a licence may not be used at all. @throws Error when one that is needed is not installed
 */
export function refusedLicences(root: string): string[] {
  const seen = new Map<string, Manifest>()
  const own = packagesOf(root)
    .map(({ folder }) => folder)
    .filter((folder) => !folder.startsWith('tooling/'))
  for (const folder of own) visit(realpathSync(join(root, folder)), seen)
  const ours = new Set(own.map((folder) => realpathSync(join(root, folder))))
  return [...seen]
    .filter(([folder, { name, license }]) => {
      const explained = Object.keys(EXPLAINED).some((each) => name === each || name.startsWith(`${each}-`))
      return !ours.has(folder) && !explained && !ALLOWED.includes(String(license))
    })
    .map(([, { name, license }]) => `${name}: ${typeof license === 'string' ? license : 'none'}`)
    .sort()
}

function visit(folder: string, seen: Map<string, Manifest>): void {
  if (seen.has(folder)) return
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  seen.set(folder, manifest)
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    const found = installed(folder, name)
    if (found) visit(found, seen)
    else if (!manifest.optionalDependencies?.[name]) throw new Error(`${name}, which ${folder} needs, is not installed`)
  }
  for (const name of Object.keys(manifest.optionalDependencies ?? {})) {
    const found = installed(folder, name)
    if (found) visit(found, seen)
  }
}

/** Where Node finds a package from a folder. */
function installed(from: string, name: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, 'node_modules', name)
    if (existsSync(folder)) return realpathSync(folder)
    if (at === dirname(at)) return undefined
  }
}
