/**
 * Migrates the configured database as its owner, while the service runs or not: the only command that needs the owner's
 * credentials. Exits with 1 when it fails; running it again goes on where it stopped.
 */
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
