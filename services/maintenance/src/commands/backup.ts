import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runCommand } from '../command.ts'
import { backUp } from '../restore/dump.ts'

const { values } = parseArgs({ options: { to: { type: 'string' } } })

await runCommand('backup', async ({ ownerUrl }) => {
  const { to: file } = values
  if (!file) throw new Error('--to: required, the file to write')
  if (existsSync(file)) throw new Error(`--to: ${file} exists`)
  const { takenAt, bytes, rows } = await backUp(ownerUrl, file)
  const all = Object.values(rows).reduce((sum, each) => sum + each, 0)
  process.stdout.write(`${file}: ${bytes} bytes, ${all} rows of ${Object.keys(rows).length} tables, as of ${takenAt}\n`)
  return true
})
