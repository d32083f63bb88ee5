import type { Duplex } from 'node:stream'
import { Client } from 'pg'
import { isDatabaseUnavailable } from '../errors.ts'
import type { SqlExecutor } from '../sql.ts'
import { type KeyedOptions, keyedTo } from './connect.ts'

/** What lies between may have forgotten a connection that is idle for longer, without a word to either side. */
const IDLE_MS = 60_000

export interface Lookups extends SqlExecutor {
  /** Closes the connection. Statements without an answer and later ones fail. */
  end(): Promise<void>
}

/**
 * One connection for statements that find rows by their keys, from any number of callers at once. It parses and plans each text once. In the driver's pipeline
 * mode a statement does not wait for the ones before, and those that are asked for in one turn of the event loop go out in one packet: to send
 * costs a process and the server more than to find a row. Each is a transaction of its own, so one that fails concerns nobody
 * else. A statement that selects `*` would fail after a migration has added a column, so it must name its columns.
 *
 * The connection is opened by the first statement, and again by the next one after it was lost, was idle for a minute, or had no answer for
 * longer than the server lets a statement run.
 */
export function connectLookups(url: string, options: KeyedOptions): Lookups {
  const names = new Map<string, string>()
  let current: Promise<Client> | undefined
  let usedAt = 0
  let isEnded = false

  const open = (): Promise<Client> => {
    const client = new Client({ ...keyedTo(url, options), pipeline: true })
    const forget = () => {
      if (current === opened) current = undefined
    }
    client.on('error', (error) => {
      options.log.debug({ err: error }, 'connection closed')
      forget()
    })
    client.on('end', forget)
    const opened = client.connect().then(
      () => client,
      (error: unknown) => {
        forget()
        throw error
      },
    )
    return opened
  }

  async function close(): Promise<void> {
    const closing = current
    current = undefined
    await closing?.then(
      (client) => client.end(),
      () => undefined,
    )
  }

  return {
    async query<R extends object>(text: string, values: unknown[] = []) {
      if (isEnded) throw new Error('The connection is closed')
      const now = performance.now()
      if (now - usedAt > IDLE_MS) void close()
      usedAt = now
      current ??= open()
      const used = current
      const client = await used
      const name = names.get(text) ?? `lookup-${names.size}`
      names.set(text, name)
      holdUntilTurnEnds(client)
      try {
        return await client.query<R>({ name, text, values })
      } catch (error) {
        // The driver reports the loss to its statements before it does so to its owner.
        if (used === current && isDatabaseUnavailable(error)) void close()
        throw error
      }
    },
    async end() {
      isEnded = true
      await close()
    },
  }
}

/** What is written to the connection from now on leaves together, when the promises that are settled now have run. */
function holdUntilTurnEnds(client: Client): void {
  // Named in no document of the driver; without it each statement has a packet of its own, as the driver sends them.
  const { stream } = (client as unknown as { connection?: { stream?: Duplex } }).connection ?? {}
  if (!stream || stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}
