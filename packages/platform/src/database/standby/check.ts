import { Client, type Pool } from 'pg'
import { walFlush, walPosition } from './position.ts'
import { requireReplayed } from './replayed.ts'

const CONNECT_MS = 5000

/**
 * Asks a standby once whether it would serve what its primary has acknowledged until now.
 * @throws CannotServe when it is no standby, follows another history, or is behind; else what the connection to either of them says
 */
export async function checkStandby(url: string, primary: Pool): Promise<void> {
  const client = new Client({
    connectionString: url,
    application_name: 'payments-standby-check',
    connectionTimeoutMillis: CONNECT_MS,
  })
  // Where it is lost, the statement says so too.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await requireReplayed(client, await walPosition(primary), walFlush(primary))
  } finally {
    await client.end().catch(() => undefined)
  }
}
