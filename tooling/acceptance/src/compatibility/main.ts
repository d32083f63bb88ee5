/** Writes the contract of a release, `docs/contract/v1.json`: all of `/v1` as it is. It refuses what breaks the contract before. */
import { existsSync, writeFileSync } from 'node:fs'
import { breaking } from './breaking.ts'
import { presentContract } from './contract.ts'
import { CONTRACT, releasedContract } from './released.ts'

const now = presentContract()
const found = existsSync(CONTRACT) ? breaking(releasedContract(), now) : []
if (found.length > 0) {
  process.stderr.write(`Not written: it would break clients of the last release.\n${found.join('\n')}\n`)
  process.exit(1)
}
// A line for each operation, event, error and schema: a difference names what it is about.
const parts = Object.entries(now).map(([part, entries]) => {
  const lines = Object.entries(entries).map(([name, each]) => `    ${JSON.stringify(name)}: ${JSON.stringify(each)}`)
  return `  ${JSON.stringify(part)}: {\n${lines.join(',\n')}\n  }`
})
writeFileSync(CONTRACT, `{\n${parts.join(',\n')}\n}\n`)
