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
import { findPostmaster } from '../src/postmaster.ts'

const SETTINGS = ['fsync=off']
const cleanups: (() => unknown)[] = []

/** Runs after the test, last one first, whether the test passed or not. */
export const cleanUp = (clean: () => unknown): void => void cleanups.push(clean)

/** A data directory that was initialised once for the test file: initialising takes longer than most tests. */
let template: string | undefined

afterAll(() => {
  if (template) rmSync(template, { recursive: true, force: true })
})

afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

/** Open to the user that the database runs as, so that it keeps its data here. */
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

/** A directory with a database that was stopped in order. */
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

/** Starts a server that does not wait for the disk and is stopped after the test; by default on a directory of its own. */
export async function testServer(directory?: string, options: EmbeddedServerOptions = {}): Promise<TestServer> {
  const place = directory ?? (await initialisedDirectory())
  const onRestart = vi.fn<() => void>()
  const onLost = vi.fn<(error: EmbeddedServerError) => void>()
  const settings = [...SETTINGS, ...(options.settings ?? [])]
  const server = await startEmbedded(place, { ...options, settings, onRestart, onLost })
  cleanUp(() => server.stop())
  const data = join(place, 'postgres')
  const pid = () => findPostmaster(data)?.pid ?? Number.NaN
  return { ...server, data, onRestart, onLost, pid, kill: () => void process.kill(pid(), 'SIGKILL') }
}

/** One statement on a connection of its own. */
export async function query<T extends QueryResultRow>(url: string, text: string): Promise<T[]> {
  const client = await connection(url)
  try {
    return (await client.query<T>(text)).rows
  } finally {
    await client.end()
  }
}

/** A connection that the test may lose. */
export async function connection(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  cleanUp(() => client.end().catch(() => undefined))
  return client
}

/** Waits until the function does not throw and does not answer false, for `seconds` at most; the last error is thrown. */
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

/** Process ids of all processes that work in this directory, whoever started them. */
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
