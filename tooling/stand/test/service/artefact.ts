import { type StartedService, type StartOptions, startArtefact } from '../../src/service/started.ts'
import { built } from './built.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import { used } from './used.ts'

export interface TestArtefact extends StartedService {
  readonly database: TestDatabase
}

/** Starts the artefact on a database of its own, or on one that is given. */
export async function launchArtefact(
  options: StartOptions & { readonly database?: TestDatabase } = {},
): Promise<TestArtefact> {
  await built()
  const database = options.database ?? (await freshDatabase())
  const remove = async () => {
    if (!options.database) await database.drop()
  }
  try {
    const service = await startArtefact(database, options)
    return { ...service, database, stop: () => service.stop().finally(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}

/** A process of the artefact for the whole test file, started before its first test and ended after its last. */
export const useArtefact = (options: StartOptions = {}): TestArtefact => used(() => launchArtefact(options))
