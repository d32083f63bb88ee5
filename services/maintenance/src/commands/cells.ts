import { emailsOfCell, keysOfCell } from '@payments/accounts'
import { cellText } from '@payments/kernel'
import { answersOf, movedIds, platformSettings, type SqlExecutor } from '@payments/platform'
import { domains, runCommand } from '../command.ts'

const MAPS = {
  emails: emailsOfCell,
  keys: keysOfCell,
  ids: (db: SqlExecutor, cell: string) => movedIds(db, domains, cell),
} as const
const [map] = process.argv.slice(2)
const print = (line: string) => void process.stdout.write(`${line}\n`)

if (map === undefined)
  await runCommand('cells', async ({ settings }) => {
    const { CELL, CELLS } = platformSettings.from(settings)
    print(`${cellText(CELL)} ${CELL}, this one`)
    const answers = await answersOf(CELLS)
    for (const { cell, address, answer } of answers) print(`${cellText(cell)} ${cell}, ${address}: ${answer}`)
    return answers.every(({ answers: does }) => does)
  })
else if (map in MAPS)
  await runCommand('cells', async ({ settings, pool }) => {
    const cell = cellText(platformSettings.from(settings).CELL)
    for await (const entry of MAPS[map as keyof typeof MAPS](pool, cell)) print(`${entry} ${cell}`)
    return true
  })
else {
  process.stderr.write('Which map: payments cells emails, keys or ids; without one, payments cells lists the cells\n')
  process.exitCode = 1
}
