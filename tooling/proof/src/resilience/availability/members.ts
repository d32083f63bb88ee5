import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { type DatabaseServer, SUPERUSER_PASSWORD } from './operators.ts'

/** Where HAProxy leads to the primary, as deploy/patroni/haproxy.cfg says. */
const PRIMARY = '127.0.0.1:5000'
const SUPERUSER = { username: 'postgres', password: SUPERUSER_PASSWORD }
const PATIENCE_MS = 120_000

/** As Patroni shows it at `/cluster`. */
interface Member {
  readonly name: string
  readonly timeline: number
  readonly role: string
  readonly state: string
}

async function members(servers: readonly DatabaseServer[]): Promise<readonly Member[]> {
  const answers = servers.map(async ({ address }) => {
    const answer = await fetch(`http://${address}:8008/cluster`, { signal: AbortSignal.timeout(2000) })
    return ((await answer.json()) as { members: Member[] }).members
  })
  return Promise.any(answers).catch(() => [])
}

interface Primary {
  readonly server: DatabaseServer
  /** Of its WAL: each promotion begins another one. */
  readonly timeline: number
  /** The name of the synchronous standby. */
  readonly standby: string | undefined
}

/** The server that holds the leader's lease, as these servers see it. */
export async function primaryOf(servers: readonly DatabaseServer[]): Promise<Primary | undefined> {
  const all = await members(servers)
  const leader = all.find(({ role, state }) => role === 'leader' && state === 'running')
  const server = servers.find(({ name }) => name === leader?.name)
  const standby = all.find(({ role }) => role === 'sync_standby')?.name
  return leader && server ? { server, timeline: leader.timeline, standby } : undefined
}

/** The URL of a database of the primary. */
export const urlOf = ({ username, password }: { username: string; password: string }, database: string): string =>
  `postgres://${username}:${password}@${PRIMARY}/${database}`

/** Standbys that stream from the primary, in the words of the primary: Patroni says `running` of one that does not, too. */
async function streaming(): Promise<readonly string[]> {
  const client = new Client({ connectionString: urlOf(SUPERUSER, 'postgres'), query_timeout: 2000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ sync_state: string }>(
      "select sync_state from pg_stat_replication where state = 'streaming'",
    )
    return rows.map(({ sync_state }) => sync_state)
  } catch {
    return []
  } finally {
    await client.end().catch(() => undefined)
  }
}

/**
 * Waits until one is the primary, the others stream from it, and one of them is synchronous, also for Patroni, which promotes only one whose
 * name it has stored: it stores the name after PostgreSQL has confirmed the first commit. @throws Error after two minutes
 */
export async function allFollow(servers: readonly DatabaseServer[]): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(500)) {
    const standbys = await streaming()
    if (standbys.length < servers.length - 1 || !standbys.includes('sync')) continue
    if ((await primaryOf(servers))?.standby) return
  }
  throw new Error(`Not all standbys stream: ${JSON.stringify([await members(servers), await streaming()])}`)
}
