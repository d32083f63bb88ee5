import { Client } from 'pg'
import { expect, test } from 'vitest'
import { freshDatabase, pause } from '#testing'
import { createLog } from '../log.ts'
import { migrate } from './migrate.ts'

const slow = { name: 'slow', migrations: [{ name: '29990101000000_slow', up: ['select pg_sleep(1)'] }] }

test('a migration that loses the connection of its lock fails with the reason, and does not crash the process', async () => {
  const database = await freshDatabase()
  const owner = new Client({ connectionString: database.ownerUrl })
  await owner.connect()
  try {
    const migrating = migrate(database.ownerUrl, database.serviceUrl, [slow], createLog('silent'))
    const failed = expect(migrating).rejects.toThrow(/terminating connection|connection error|terminated/)
    const cut = () =>
      owner.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'payments-migrate'
            and datname = current_database() and state = 'idle' and query like '%pg_advisory_lock%'`,
      )
    while ((await cut()).rowCount === 0) await pause(20)
    await failed
  } finally {
    await owner.end()
    await database.drop()
  }
})
