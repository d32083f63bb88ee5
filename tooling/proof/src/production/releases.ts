import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { archivePackage, createPackage } from '@payments/bundle'
import { root } from '@payments/checks'
import { earlierVersion } from '../resilience/cluster/earlier.ts'

/** The versions that the guide installs first and upgrades to. */
export const [LAST, NEXT] = ['0.0.1', '0.0.2']

/** The releases of an operator, as archives in a folder. */
export interface Releases {
  readonly folder: string
  /** The commit that this version is compared with; undefined where there is none with an older schema. */
  readonly from: string | undefined
  readonly migrations: number
  remove(): void
}

/**
 * Makes the package of this checkout, and one of the newest version with an older schema, which has the files of deployment of this one, because
 * the guide of this one is run.
 */
export async function makeReleases(): Promise<Releases> {
  // Not in the folder of temporary files, which the machine of the proof has for itself.
  const folder = mkdtempSync('/var/tmp/payments-releases-')
  const earlier = earlierVersion()
  try {
    await createPackage(join(folder, 'made'), NEXT)
    const last = join(folder, 'made', `payments-${LAST}`)
    cpSync(earlier?.folder ?? join(folder, 'made', `payments-${NEXT}`), last, { recursive: true })
    cpSync(join(root, 'deploy'), join(last, 'deploy'), { recursive: true })
    archivePackage(last)
  } finally {
    earlier?.remove()
  }
  return {
    folder: join(folder, 'made'),
    ...{ from: earlier?.commit.slice(0, 12), migrations: earlier?.missing.length ?? 0 },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
