import { execFileSync } from 'node:child_process'
import { broken, readTree, root } from '@payments/checks'
import { calls } from './calls.ts'
import { filesOfDomain, filesOfField, startsOfService } from './changes.ts'
import { type Size, sizesOf } from './sizes.ts'

const CIRCLES = ['No file imports itself through others', 'No package depends on itself through others']

/**
 * How large the code is and how much of it one question enters, for those who change it: lines by package, the fullest folder, the files
 * whose functions run for `POST /v1/offramps` and for one poll that finds its deposit, and what calls back into a package that waits.
 * Prints a page of Markdown, which is kept nowhere: no file of figures grows old.
 */
export async function benchStructure(print: (line: string) => void): Promise<void> {
  const tree = readTree()
  const sizes = sizesOf(tree)
  const { request, route, poll } = calls(tree)
  const rules = broken(tree)
  const [field, domain, starts] = [filesOfField(), filesOfDomain(), startsOfService(tree)]
  const total = (of: (size: Size) => number, folder: RegExp) =>
    sizes.filter((size) => folder.test(size.folder)).reduce((sum, size) => sum + of(size), 0)
  const product = /^(packages|services)\//
  const facts = [
    ['Lines of the product, without tests', total(({ lines }) => lines, product)],
    ['Lines of its tests', total(({ tests }) => tests, product)],
    ['Lines of tooling', total(({ lines, tests }) => lines + tests, /^tooling\//)],
    ['Packages of tooling', sizes.filter(({ folder }) => folder.startsWith('tooling/')).length],
    ['Most files and folders in a folder', Math.max(...sizes.map(({ widest }) => widest))],
    ['Circles of files, and of packages', CIRCLES.reduce((sum, rule) => sum + (rules[rule]?.length ?? 0), 0)],
    ['Files that `POST /v1/offramps` enters', request.files.length],
    ['Packages that it enters', request.packages],
    ['Re-entries of it into a package that waits for another', request.reentries.length],
    ['Files that `POST /v1/payment-routes` enters', route.files.length],
    ['Files that one poll enters which finds the deposit of an offramp', poll.files.length],
    ['Re-entries of it', poll.reentries.length],
    ['Files of tooling that start the service', starts.length],
    ['Files that a new field touches', field.length],
    ['Files of other packages that a new domain with a provider touches', domain.length],
  ] as const
  const commit = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  print(`# Structure

At commit \`${commit}\`. What holds always is checked: no circle of files or of packages, at most ten files and folders in a folder ([architecture](../decisions/architecture.md)).

A re-entry is a function that is called by a package which its own package has called and waits for: a handler that is handed over, or a function that is declared to a lower package.

${table(
  ['What', 'Number'],
  facts.map(([name, value]) => [name, value.toLocaleString('en')]),
)}

${table(
  ['Package', 'Files', 'Lines', 'Lines of tests', 'Fullest folder'],
  sizes.map(({ folder, files, lines, tests, widest }) => [
    folder,
    ...[files, lines, tests, widest].map((value) => value.toLocaleString('en')),
  ]),
)}

${[
  ['Files of tooling that start the service', starts],
  ['What a new field touches, in the package of its object', field],
  ['What a new domain touches beside its own folders', domain],
  ['Re-entries of `POST /v1/offramps`', request.reentries],
  ['Re-entries of one poll', poll.reentries],
  ['What `POST /v1/offramps` enters', request.files],
  ['What `POST /v1/payment-routes` enters', route.files],
  ['What one poll enters which finds the deposit of an offramp', poll.files],
]
  .map(([title, lines]) => `## ${title}\n\n${(lines as string[]).map((line) => `- ${line}`).join('\n')}`)
  .join('\n\n')}
`)
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, column) => (column === 0 ? '---' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
