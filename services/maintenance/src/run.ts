/** The commands of those who run the service, each of which is a module that does its work when it is loaded. */
const COMMANDS: Readonly<Record<string, () => Promise<unknown>>> = {
  backup: () => import('./commands/backup.ts'),
  doctor: () => import('./commands/doctor.ts'),
  'ledger-check': () => import('./commands/ledger-check.ts'),
  migrate: () => import('./commands/migrate.ts'),
  're-encrypt': () => import('./commands/re-encrypt.ts'),
  reconcile: () => import('./commands/reconcile.ts'),
  restore: () => import('./commands/restore.ts'),
  'swap-addresses': () => import('./commands/swap-addresses.ts'),
}

// What follows the name are the options of the command.
const [name = ''] = process.argv.splice(2, 1)
const command = COMMANDS[name]
if (command) await command()
else {
  process.stderr.write(`Unknown command ${name}: one of ${Object.keys(COMMANDS).join(', ')}\n`)
  process.exitCode = 2
}
