import { parseArgs } from 'node:util'
import { runCommand } from '../command.ts'
import { restoreBackup } from '../restore/dump.ts'

const { values } = parseArgs({ options: { from: { type: 'string' } } })

await runCommand('restore', async ({ ownerUrl }) => {
  const { from: file } = values
  if (!file) throw new Error('--from: required, the file of a backup')
  const { takenAt } = await restoreBackup(ownerUrl, file)
  process.stdout.write(`Restored to ${takenAt}. Now run \`payments migrate\`, then \`payments reconcile\`\n`)
  return true
})
