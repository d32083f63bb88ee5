import { afterAll, beforeAll } from 'vitest'
import { type RunningService, type RunOptions, runService } from '../../src/service/in-process.ts'
import { freshDatabase, type TestDatabase } from './database.ts'

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
export function useService(options: ServiceOptions = {}): TestService {
  let service: Awaited<ReturnType<typeof startService>> | undefined
  beforeAll(async () => {
    service = await startService(options)
  })
  afterAll(async () => {
    await service?.stop()
  })
  return new Proxy({} as TestService, {
    get(_target, name) {
      if (!service) throw new Error('The service runs only while tests do')
      return service[name as keyof TestService]
    },
  })
}
