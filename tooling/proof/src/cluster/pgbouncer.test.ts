import { hasTools } from '@payments/fixtures'
import { hasTimeouts } from '@payments/platform'
import { expect, test } from 'vitest'
import { freshDatabase } from '#testing'
import { startPgBouncer } from './pgbouncer.ts'

test.runIf(hasTools('pgbouncer'))(
  'a pooler whose connections have no timeouts is told from one that sets them',
  async () => {
    const database = await freshDatabase()
    try {
      expect(await hasTimeouts(database.serviceUrl)).toBe(true)
      for (const sets of [true, false]) {
        const pooler = await startPgBouncer(database.serviceUrl, sets ? undefined : 'select 1')
        try {
          expect(await hasTimeouts(pooler.through(database.serviceUrl))).toBe(sets)
        } finally {
          await pooler.stop()
        }
      }
    } finally {
      await database.drop()
    }
  },
)
