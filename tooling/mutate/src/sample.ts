import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packagesOf, root, sourcesOf } from '@payments/checks'

/** Random lines of code of the packages and services, as Stryker's ranges. The same seed gives the same lines. */
export function sample(count: number, seed: number): string[] {
  const lines = packagesOf()
    .filter(({ folder }) => !folder.startsWith('tooling/'))
    .flatMap(({ folder }) => sourcesOf(folder))
    .filter((file) => !/\.test\.ts$|\/(index|migrations)\.ts$|\/test\//.test(file))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          /[=(?]/.test(line) && !/^\s*(\*|\/|import|export (type|interface))/.test(line)
            ? [`${file}:${index + 1}-${index + 1}`]
            : [],
        ),
    )
  let state = seed
  // A linear congruential generator.
  const next = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
  return Array.from({ length: count }, () => lines[Math.floor(next() * lines.length)] ?? '').filter(Boolean)
}
