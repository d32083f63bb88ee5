import { createLog, migrate, pendingMigrations, platformSettings } from '@payments/platform'
import { domains, runCommand } from '../command.ts'

await runCommand('migrate', async ({ settings, ownerUrl, serviceUrl }) => {
  const { DATABASE_URL } = platformSettings.from(settings)
  const pending = await pendingMigrations(ownerUrl, domains)
  // The role is granted its rights, whichever way it reaches the database.
  await migrate(ownerUrl, DATABASE_URL ?? serviceUrl, domains, createLog('info'))
  for (const name of pending ?? ['everything']) process.stdout.write(`migrated ${name}\n`)
  process.stdout.write('The database is up to date\n')
  return true
})
