import { type RunningService, type RunOptions, runService } from '../../src/service/in-process.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import { used } from './used.ts'

export interface TestService extends Omit<RunningService, 'stop'> {
  readonly database: TestDatabase
}

export interface ServiceOptions extends RunOptions {
  readonly database?: TestDatabase
}

/** Starts the service on a database of its own. */
export async function startService(options: ServiceOptions = {}): Promise<TestService & { stop(): Promise<void> }> {
  const database = options.database ?? (await freshDatabase())
  const remove = async () => {
    if (!options.database) await database.drop()
  }
  try {
    const service = await runService(database, options)
    return { ...service, database, stop: () => service.stop().finally(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}

/** A service for the whole test file, started before its first test and closed after its last. */
export const useService = (options: ServiceOptions = {}): TestService => used(() => startService(options))
