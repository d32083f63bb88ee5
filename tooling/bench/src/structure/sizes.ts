import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isTest, packageOf, root, type Source, type Tree } from '@payments/checks'

/** How large a package is. */
export interface Size {
  readonly folder: string
  readonly files: number
  readonly lines: number
  readonly tests: number
  /** Files and folders in its fullest folder: a file and its test are one, the index is none. */
  readonly widest: number
}

export function sizesOf(tree: Tree): Size[] {
  const folders = tree.packages.map(({ folder }) => folder).sort()
  return folders.map((folder) => {
    const own = [...tree.sources.values()].filter(({ file }) => packageOf(tree, file)?.folder === folder)
    const tests = own.filter(({ file }) => isTest(file))
    const code = own.filter(({ file }) => !isTest(file))
    return { folder, files: code.length, lines: linesOf(code), tests: linesOf(tests), widest: widestOf(code) }
  })
}

const linesOf = (sources: readonly Source[]): number =>
  sources.reduce((sum, { file }) => sum + readFileSync(join(root, file), 'utf8').split('\n').length - 1, 0)

function widestOf(sources: readonly Source[]): number {
  const entries = new Map<string, Set<string>>()
  for (const { file } of sources) {
    if (file.endsWith('/index.ts')) continue
    for (let entry = file, folder = dirname(file); folder.includes('/src'); entry = folder, folder = dirname(folder))
      entries.set(folder, (entries.get(folder) ?? new Set()).add(entry))
  }
  return Math.max(0, ...[...entries.values()].map(({ size }) => size))
}
