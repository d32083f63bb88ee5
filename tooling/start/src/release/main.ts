// npm run release -- <version>: refuses what is not ready, else makes the commit, the archives and the tag of a version.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git, lastRelease, root } from '@payments/checks'
import { gt, valid } from 'semver'
import { makeRelease, versionOf } from './make.ts'
import { draftOf, lackingOn } from './page.ts'
import { staleRecords } from './records.ts'
import { changes, surfaceAt } from './surface.ts'

const [version = ''] = process.argv.slice(2)
try {
  if (valid(version) !== version) throw new Error('Name a version: npm run release -- 1.0.0')
  const last = lastRelease(root)
  const changed = changes(surfaceAt('HEAD', root), last === undefined ? undefined : surfaceAt(last, root))
  const file = `docs/releases/${version}.md`
  const path = join(root, file)
  if (!existsSync(path)) {
    writeFileSync(path, draftOf(version, last === undefined ? [] : changed))
    throw new Error(`${file} is drafted: complete and commit it, then run this again`)
  }
  const problems = [
    ...(gt(version, versionOf(root)) ? [] : [`${version} does not come after ${versionOf(root)}`]),
    ...(git(['status', '--porcelain'], root) === '' ? [] : ['not everything is committed']),
    ...lackingOn(readFileSync(path, 'utf8'), last === undefined ? [] : changed).map((each) => `${file}: ${each}`),
    ...staleRecords(root),
  ]
  if (problems.length > 0) throw new Error(['Not released:', ...problems].join('\n'))
  process.stdout.write(`${makeRelease(root, version)}\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
