import { setTimeout as sleep } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { DirectoryInUseError } from '../error.ts'

/** A server that re-initialises itself after a crash of one of its processes refuses or breaks connections for up to this long. */
const CONNECT_MS = 60_000
/** The server closes the session of a service that has just died within this time. */
const RELEASE_MS = 1000
const PAUSE_MS = 50

/**
 * Takes a session lock in the server for the lifetime of this process, so that only the server of a dead service is taken
 * over. The lock is lost when the connection ends.
 * @param mayRetry returns false when the server has stopped or must stop; then no further attempt is made.
 * @throws DirectoryInUseError when another running service holds the lock.
 */
export async function lockDataDirectory(
  ownerUrl: string,
  directory: string,
  mayRetry: () => boolean = () => true,
): Promise<Client> {
  for (const deadline = Date.now() + CONNECT_MS; ; await sleep(PAUSE_MS)) {
    const client = new Client({
      connectionString: ownerUrl,
      application_name: 'payments-owner',
      keepAlive: true,
      connectionTimeoutMillis: 5000,
    })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await lock(client, directory)
      return client
    } catch (error) {
      await client.end().catch(() => undefined)
      if (!isTemporary(error) || !mayRetry() || Date.now() > deadline) throw error
    }
  }
}

async function lock(client: Client, directory: string): Promise<void> {
  for (const deadline = Date.now() + RELEASE_MS; ; await sleep(PAUSE_MS)) {
    const { rows } = await client.query<{ locked: boolean }>(
      "select pg_try_advisory_lock(hashtext('payments:server')) as locked",
    )
    if (rows[0]?.locked) return
    if (Date.now() > deadline) throw new DirectoryInUseError(directory)
  }
}

/** The server is starting, stopping or out of connections (classes 57 and 53), or the connection broke. A wrong password is not temporary. */
const isTemporary = (error: unknown): boolean =>
  error instanceof DatabaseError ? /^5[37]/.test(error.code ?? '') : !(error instanceof DirectoryInUseError)
