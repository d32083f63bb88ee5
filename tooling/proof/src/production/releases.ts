import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { archivePackage, createPackage } from '@payments/bundle'
import { root } from '@payments/checks'
import { earlierVersion } from '../resilience/cluster/earlier.ts'

/** The versions that the guide installs first and upgrades to. */
export const [LAST, NEXT] = ['0.0.1', '0.0.2']

/** What the releases of an operator differ in. */
export interface Releases {
  /** The commit that this version is compared with; undefined where there is none with an older schema. */
  readonly from: string | undefined
  readonly migrations: number
}

/**
 * Makes the package of this checkout in a folder, and one of the newest version with an older schema, which has the files of deployment of this one,
 * because the guide of this one is run.
 */
export async function makeReleases(folder: string): Promise<Releases> {
  const earlier = earlierVersion()
  try {
    await createPackage(folder, NEXT)
    const last = join(folder, `payments-${LAST}`)
    cpSync(earlier?.folder ?? join(folder, `payments-${NEXT}`), last, { recursive: true })
    cpSync(join(root, 'deploy'), join(last, 'deploy'), { recursive: true })
    archivePackage(last)
  } finally {
    earlier?.remove()
  }
  return { from: earlier?.commit.slice(0, 12), migrations: earlier?.missing.length ?? 0 }
}
