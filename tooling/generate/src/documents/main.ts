import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { derived } from './derived.ts'

const root = new URL('../../../../', import.meta.url)
const check = process.argv.includes('--check')
const stale: string[] = []

for (const [file, text] of Object.entries(derived({ count: !check }))) {
  const path = fileURLToPath(new URL(file, root))
  if (check) {
    if (read(path) !== text) stale.push(file)
    continue
  }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
if (stale.length > 0) {
  process.stderr.write(`Not up to date, run \`npm run derive\`: ${stale.join(', ')}\n`)
  process.exit(1)
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
