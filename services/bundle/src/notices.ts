import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageAssets, places } from './artefact.ts'

/** An installed package that is in the artefact. */
interface Installed {
  readonly name: string
  readonly version: string
  readonly licence: string
  readonly texts: readonly string[]
}

/** The installed packages whose modules or files are in the artefact, by name and version. */
export function installedPackages(modules: readonly string[]): readonly Installed[] {
  const folders = new Set([
    ...modules.flatMap((id) => id.match(/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []),
    ...packageAssets.map(({ user, name }) => join(places.root, user, 'node_modules', name)),
  ])
  const found = new Map<string, Installed>()
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const texts = readdirSync(folder)
      .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8').trim())
    found.set(`${name}@${version}`, { name, version, licence: String(license ?? 'see its text'), texts })
  }
  return [...found.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** The licences of what others have written and the artefact contains, as their terms ask for. */
export function notices(packages: readonly Installed[]): string {
  const parts = packages.map(
    ({ name, version, licence, texts }) => `${name} ${version} (${licence})\n\n${texts.join('\n\n')}\n`,
  )
  return `This program contains these packages.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`
}
