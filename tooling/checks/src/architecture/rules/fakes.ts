import { packageOf, type Tree } from '../tree.ts'

const FAKE = /^packages\/providers\/([^/]+)\/test\//

/**
 * Imports with which a fake of a provider would share what it checks: a constant or a formula of the adapter is wrong on both sides
 * at once. One file of the folder starts the adapter beside its fake, and imports the adapter alone; files that do not import that
 * one take types of the service only.
 */
export function sharedByFakes(tree: Tree): string[] {
  const files = [...tree.sources.values()].filter(({ file }) => FAKE.test(file))
  const starts = (file: string): string => `packages/providers/${FAKE.exec(file)?.[1]}/src/${FAKE.exec(file)?.[1]}.ts`
  const starters = files.filter(({ file, imports }) =>
    imports.some((each) => !each.typeOnly && each.file === starts(file)),
  )
  const beside = new Set(starters.map(({ file }) => file))
  for (let size = 0; size !== beside.size; ) {
    size = beside.size
    for (const { file, imports } of files)
      if (imports.some((each) => !each.typeOnly && each.file && beside.has(each.file))) beside.add(file)
  }
  return [
    ...files.flatMap(({ file, imports }) =>
      imports
        .filter(({ typeOnly, specifier, file: imported }) => {
          if (typeOnly) return false
          const ofService = specifier.startsWith('@payments/') || specifier === '#testing'
          const ofSources = imported !== undefined && !FAKE.test(imported)
          return (ofSources && imported !== starts(file)) || (ofService && !beside.has(file))
        })
        .map(({ specifier }) => `${file} imports ${specifier}`),
    ),
    ...starters
      .filter((one) =>
        starters.some((other) => other !== one && packageOf(tree, other.file) === packageOf(tree, one.file)),
      )
      .map(({ file }) => `${file} is not the only one that imports the adapter`),
  ]
}
