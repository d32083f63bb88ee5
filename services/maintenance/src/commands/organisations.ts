/**
 * Moves one suspended organisation with all of its rows to the database of another cell, MOVE_DATABASE_URL. It can be repeated until it
 * succeeds: after a crash anywhere it goes on. See docs/operators/cells.md.
 *
 *   payments organisations move <id> --to <cell> [--dry-run | --cancel]
 */
import { parseArgs } from 'node:util'
import { isId } from '@payments/kernel'
import { platformSettings } from '@payments/platform'
import { runCommand } from '../command.ts'
import { type MoveOptions, move } from '../moves/move.ts'

const USAGE = 'payments organisations move <id> --to <cell> [--dry-run | --cancel]'

/** What was asked for. @throws Error with the sentence for whoever typed it */
function asked(): MoveOptions {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { to: { type: 'string' }, 'dry-run': { type: 'boolean' }, cancel: { type: 'boolean' } },
  })
  const [verb, id = '', ...more] = positionals
  if (verb !== 'move' || !isId(id) || more.length > 0 || !/^\d{1,4}$/.test(values.to ?? ''))
    throw new Error(`Which organisation, and to which cell: ${USAGE}`)
  const [dryRun, cancel] = [values['dry-run'] === true, values.cancel === true]
  if (dryRun && cancel) throw new Error(`Either --dry-run or --cancel: ${USAGE}`)
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
