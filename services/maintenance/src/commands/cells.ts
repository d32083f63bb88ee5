/**
 * Prints what a proxy before several cells must know of this one (deploy/cells), as lines of its maps: `emails` who signs in here, `keys` which
 * keys are here although they do not begin with this cell.
 */
import { emailsOfCell, keysOfCell } from '@payments/accounts'
import { cellText } from '@payments/kernel'
import { platformSettings } from '@payments/platform'
import { runCommand } from '../command.ts'

const MAPS = { emails: emailsOfCell, keys: keysOfCell } as const
const [map = ''] = process.argv.slice(2)

if (map in MAPS)
  await runCommand('cells', async ({ settings, pool }) => {
    const cell = cellText(platformSettings.from(settings).CELL)
    for await (const entry of MAPS[map as keyof typeof MAPS](pool, cell)) process.stdout.write(`${entry} ${cell}\n`)
    return true
  })
else {
  process.stderr.write('Which map: payments cells emails, or payments cells keys\n')
  process.exitCode = 1
}
