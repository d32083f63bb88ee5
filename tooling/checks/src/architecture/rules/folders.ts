import { dirname } from 'node:path'
import { isTest, type Tree } from '../tree.ts'

/** Entries that one takes in at a glance. A file and its tests are one entry. */
const MOST = 10
/** The contract of a package, which has the same names in each, and the index, which repeats the others' names, are none. */
const KNOWN =
  /\/src\/(errors|schemas|states|events|entity|settings|migrations|failure-reasons|notifications|receipt)\.ts$|\/index\.tsx?$/
const SOURCES = /^(packages|services|tooling)\/.+\/src\//

/** Folders of sources with more than {@link MOST} files and folders. */
export function fullFolders({ sources }: Tree): string[] {
  const entries = new Map<string, Set<string>>()
  for (const file of sources.keys()) {
    if (!SOURCES.test(file) || isTest(file) || KNOWN.test(file)) continue
    for (let entry = file, folder = dirname(file); SOURCES.test(`${folder}/`); entry = folder, folder = dirname(folder))
      entries.set(folder, (entries.get(folder) ?? new Set()).add(entry))
  }
  return [...entries].filter(([, { size }]) => size > MOST).map(([folder, { size }]) => `${folder} has ${size} entries`)
}
