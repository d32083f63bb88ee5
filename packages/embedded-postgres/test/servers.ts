import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type QueryResultRow } from 'pg'
import { afterAll, afterEach, expect, vi } from 'vitest'
import {
  type EmbeddedServer,
  type EmbeddedServerError,
  type EmbeddedServerOptions,
  startEmbedded,
} from '../src/index.ts'
import { findPostmaster } from '../src/server/postmaster.ts'

// Shared memory in the data directory: what a server that is killed leaves of it is removed with that.
const SETTINGS = ['fsync=off', 'dynamic_shared_memory_type=mmap']
const cleanups: (() => unknown)[] = []

/** Registers a function that runs after the test, in reverse order, also when the test fails. */
export const cleanUp = (clean: () => unknown): void => void cleanups.push(clean)

/** A data directory that is initialised once for each test file, because initialising takes longer than most tests. */
let template: string | undefined

afterAll(() => {
  if (template) rmSync(template, { recursive: true, force: true })
})

afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

/** Creates a directory that the user of the server can access, so that the data is stored there. */
function createDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'payments-embedded-'))
  chmodSync(path, 0o755)
  return path
}

export function temporaryDirectory(): string {
  const path = createDirectory()
  cleanUp(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A directory with a database that was shut down cleanly. */
async function initialisedDirectory(): Promise<string> {
  if (!template) {
    template = createDirectory()
    await (await startEmbedded(template, { settings: SETTINGS })).stop()
  }
  const path = temporaryDirectory()
  execFileSync('cp', ['-a', `${template}/.`, path])
  return path
}

export interface TestServer extends EmbeddedServer {
  readonly data: string
  readonly onRestart: ReturnType<typeof vi.fn<() => void>>
  readonly onLost: ReturnType<typeof vi.fn<(error: EmbeddedServerError) => void>>
  /** Process id of the postmaster. */
  pid(): number
  /** Kills the postmaster as `kill -9` does. */
  kill(): void
}

/** Starts a server without fsync that is stopped after the test; by default on a new directory. */
export async function testServer(directory?: string, options: EmbeddedServerOptions = {}): Promise<TestServer> {
  const path = directory ?? (await initialisedDirectory())
  const onRestart = vi.fn<() => void>()
  const onLost = vi.fn<(error: EmbeddedServerError) => void>()
  const settings = [...SETTINGS, ...(options.settings ?? [])]
  const server = await startEmbedded(path, { ...options, settings, onRestart, onLost })
  cleanUp(() => server.stop())
  const data = join(path, 'postgres')
  const pid = () => findPostmaster(data)?.pid ?? Number.NaN
  return { ...server, data, onRestart, onLost, pid, kill: () => void process.kill(pid(), 'SIGKILL') }
}

/** Runs one statement on a new connection. */
export async function query<T extends QueryResultRow>(url: string, text: string): Promise<T[]> {
  const client = await connection(url)
  try {
    return (await client.query<T>(text)).rows
  } finally {
    await client.end()
  }
}

/** A connection whose errors are ignored, because the test may terminate it. */
export async function connection(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  cleanUp(() => client.end().catch(() => undefined))
  return client
}

/** Waits until the function neither throws nor returns false, for at most `seconds`; then throws the last error. */
export async function eventually<T>(check: () => T | Promise<T>, seconds = 5): Promise<T> {
  for (const deadline = Date.now() + seconds * 1000; ; await sleep(20)) {
    try {
      const result = await check()
      if (result !== false) return result
      if (Date.now() > deadline) expect.fail('The condition did not become true in time')
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}

/** Ids of all processes whose working directory is in this directory. */
export function processesIn(path: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && readlinkSync(`/proc/${pid}/cwd`).startsWith(path)
      } catch {
        return false
      }
    })
}
