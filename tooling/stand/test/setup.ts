import { mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { everyDomain } from '@payments/api'
import { buildPages } from '@payments/bundle'
import { ensureDatabase, startEmbedded } from '@payments/embedded-postgres'
import { createLog, migrate } from '@payments/platform'
import type { TestProject } from 'vitest/node'

/** One PostgreSQL server for the run, with a migrated template that each test file copies. Durability is off: nothing here outlives the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildPages()
  const directory = mkdtempSync(join(temporaryFolder(), 'payments-test-'))
  const server = await startEmbedded(directory, {
    settings: [
      'fsync=off',
      'synchronous_commit=off',
      'full_page_writes=off',
      'max_connections=400',
      'shared_buffers=256MB',
    ],
  })
  try {
    await ensureDatabase(server.ownerUrl(), 'template')
    await migrate(server.ownerUrl('template'), server.serviceUrl('template'), everyDomain, createLog('warn'))
  } catch (error) {
    // A migration with an error must leave no server behind.
    await server.destroy()
    throw error
  }
  project.provide('database', { owner: server.ownerUrl('DATABASE'), service: server.serviceUrl('DATABASE') })
  return server.destroy
}

const IN_MEMORY = '/dev/shm'
/** The databases of all workers, with what one test at a time makes large. */
const ROOM = 4 * 2 ** 30

/**
 * A file system in memory where there is one with room. Each file copies a database of some hundred files and drops it, and ext4 looks for
 * a free inode past all that were freed in the last seconds: a twelfth of the processor time of the run.
 */
function temporaryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    return bavail * bsize >= ROOM ? IN_MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}
