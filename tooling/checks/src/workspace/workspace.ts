import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** A package of the workspace. */
export interface Package {
  /** As its package.json has it: `@payments/routes`. */
  readonly name: string
  /** From the root: `packages/routes`. */
  readonly folder: string
  readonly manifest: {
    readonly exports?: unknown
    readonly scripts?: Readonly<Record<string, string>>
    readonly dependencies?: Readonly<Record<string, string>>
    readonly devDependencies?: Readonly<Record<string, string>>
  }
}

/** The packages of the tree at `at`, as pnpm-workspace.yaml lists their folders. */
export function packagesOf(at: string = root): readonly Package[] {
  const list = readFileSync(join(at, 'pnpm-workspace.yaml'), 'utf8').match(/^packages:\n((?: +- .*\n)+)/)?.[1] ?? ''
  const patterns = [...list.matchAll(/- +(\S+)/g)].map((match) => `${match[1]}/package.json`)
  return globSync(patterns, { cwd: at })
    .sort()
    .map((file) => {
      const manifest = JSON.parse(readFileSync(join(at, file), 'utf8'))
      return { name: manifest.name, folder: dirname(file), manifest }
    })
}

/** Source files of a package, from the root. */
export const sourcesOf = (folder: string, at: string = root): readonly string[] =>
  globSync(`${folder}/**/*.{ts,tsx}`, { cwd: at, exclude: (path) => basename(path) === 'node_modules' }).sort()
