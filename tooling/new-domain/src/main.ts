// `npm run new -- domain <name>`: a working domain and its line in the list.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { skeleton } from './skeleton.ts'

const [kind, name = '', into] = process.argv.slice(2)
const root = into ?? new URL('../../../', import.meta.url).pathname

function stop(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

if (kind !== 'domain' || !/^[a-z][a-z]{2,29}$/.test(name) || name.endsWith('ss')) {
  stop('Usage: npm run new -- domain <name>, a plural noun in lower-case emails, like "invoices"')
}
const folder = join(root, 'packages', name)
if (existsSync(folder)) stop(`packages/${name} exists already`)

const now = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
for (const [file, text] of Object.entries(skeleton(name, now))) {
  mkdirSync(join(folder, file, '..'), { recursive: true })
  writeFileSync(join(folder, file), text)
}

const list = join(root, 'packages/api/src/domains.ts')
const source = readFileSync(list, 'utf8')
const imports = [...source.matchAll(/^import .*\n/gm)].map((match) => match[0])
const sorted = [...imports, `import { ${name} } from '@payments/${name}'\n`].sort((a, b) =>
  from(a) < from(b) ? -1 : 1,
)
writeFileSync(
  list,
  source
    .replace(imports.join(''), sorted.join(''))
    .replace(/(export const domains = \[[^\]]+?),?\s*\]/, `$1, ${name}]`),
)

const manifest = join(root, 'packages/api/package.json')
const parsed = JSON.parse(readFileSync(manifest, 'utf8'))
parsed.dependencies = Object.fromEntries(
  Object.entries({ ...parsed.dependencies, [`@payments/${name}`]: 'workspace:*' }).sort(([a], [b]) => (a < b ? -1 : 1)),
)
writeFileSync(manifest, `${JSON.stringify(parsed, null, 2)}\n`)

spawnSync(join(root, 'node_modules/.bin/biome'), ['check', '--write', folder, join(root, 'packages/api')], {
  cwd: root,
})
process.stdout.write(`packages/${name} is written and listed. Next: npx pnpm install, npm run derive, npm test.\n`)

function from(line: string): string {
  return line.split(' from ')[1] ?? line
}
