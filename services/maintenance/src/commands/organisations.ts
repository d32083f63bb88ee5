import { parseArgs } from 'node:util'
import { isId } from '@payments/kernel'
import { platformSettings } from '@payments/platform'
import { runCommand } from '../command.ts'
import { type MoveOptions, move } from '../moves/move.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { to: { type: 'string' }, 'dry-run': { type: 'boolean' }, cancel: { type: 'boolean' } },
})

/** What was asked for. @throws Error with the sentence for whoever typed it */
function asked(): MoveOptions {
  const [verb, id = '', ...more] = positionals
  if (verb !== 'move' || !isId(id) || more.length > 0 || !/^\d{1,4}$/.test(values.to ?? ''))
    throw new Error('Which organisation, and to which cell: payments organisations move <id> --to <cell>')
  const [dryRun, cancel] = [values['dry-run'] === true, values.cancel === true]
  if (dryRun && cancel) throw new Error('Either --dry-run or --cancel')
  return { organisationId: id, to: Number(values.to), mode: dryRun ? 'dry-run' : cancel ? 'cancel' : 'move' }
}

try {
  const options = asked()
  await runCommand('organisations', async (database) => {
    const tell = (line: string) => void process.stdout.write(`${line}\n`)
    await move(database, options, platformSettings.from(database.settings), tell)
    return true
  })
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
