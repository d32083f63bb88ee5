import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, existsSync, fchmodSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinaries } from '../binaries/binaries.ts'
import { type Cluster, processOptions } from '../cluster/cluster.ts'
import { makeSocketFolder } from '../directory/sockets.ts'
import { deleteStalePidFile, findPostmaster, type Postmaster } from './postmaster.ts'
import { killOrphans, shutDown } from './shutdown.ts'

/** Recovery after a crash replays the log since the last checkpoint, at most the changes of some minutes. */
const READY_SECONDS = 60

/** The service uses the socket; the port is for people's own tools. */
const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_permissions=0700', 'max_connections=120']

/** The parameters of a start; the same each time, so that a restart changes nothing for clients. */
export interface Launch {
  readonly cluster: Cluster
  readonly settings: readonly string[]
  /** Aborted when the server must stop: a start in progress is cancelled and leaves no process. */
  readonly signal: AbortSignal
}

/** Waits until the server on this data directory accepts connections; undefined if none runs or it has stopped. */
export async function readyPostmaster({ cluster, signal }: Launch): Promise<Postmaster | undefined> {
  for (const deadline = Date.now() + READY_SECONDS * 1000; Date.now() < deadline; ) {
    signal.throwIfAborted()
    const found = findPostmaster(cluster.data)
    if (!found || found.status === 'ready') return found
    await sleep(25)
  }
  throw new Error(`it was not ready within ${READY_SECONDS} s`)
}

/**
 * Starts the server once, in a session of its own, so that Ctrl-C does not reach it: the service stops it last.
 * @throws Error with the server's own reason.
 */
export async function launch({ cluster, settings, signal }: Launch, port: number): Promise<Postmaster> {
  const { data, user, sockets } = cluster
  if (!existsSync(join(data, 'PG_VERSION'))) throw new Error(`${data} no longer contains a database`)
  const program = join(findBinaries(user), 'postgres')
  await killOrphans(data)
  deleteStalePidFile(data)
  makeSocketFolder(cluster)
  const { descriptor, size } = openLog(cluster.log)
  const options = [...SETTINGS, `unix_socket_directories=${sockets}`, ...settings].flatMap((setting) => ['-c', setting])
  const child = spawn(program, ['-D', data, '-p', String(port), ...options], {
    ...processOptions(user),
    cwd: data,
    detached: true,
    stdio: ['ignore', descriptor, descriptor],
  })
  closeSync(descriptor)
  child.unref()
  await once(child, 'spawn')
  const pid = child.pid as number
  for (const deadline = Date.now() + READY_SECONDS * 1000; ; await sleep(25)) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(reasonInLog(cluster.log, size))
    const found = findPostmaster(data)
    if (found?.pid === pid && found.status === 'ready') return { pid, port, sockets, found: false }
    if (!signal.aborted && Date.now() < deadline) continue
    await shutDown(pid, data, 5)
    signal.throwIfAborted()
    throw new Error(`it was not ready within ${READY_SECONDS} s`)
  }
}

/** Opens the log for appending and removes other users' access, which a restored backup may have left. */
function openLog(log: string): { descriptor: number; size: number } {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants
  const descriptor = openSync(log, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
  fchmodSync(descriptor, 0o600)
  return { descriptor, size: fstatSync(descriptor).size }
}

/** The reason why the server ended: the last error that it logged since the start. */
function reasonInLog(log: string, from: number): string {
  const lines = readFrom(log, from).trim().split('\n')
  const error = lines.map((line) => line.match(/(?:FATAL|PANIC): {2}(.+)/)?.[1]).findLast(Boolean)
  return error ?? (lines.at(-1) || 'its process ended without a message')
}

/** The text that was appended since, at most 64 KB: the log is never truncated, so it may be long. */
function readFrom(log: string, from: number): string {
  const descriptor = openSync(log, 'r')
  const buffer = Buffer.alloc(65_536)
  const length = readSync(descriptor, buffer, 0, buffer.length, from)
  closeSync(descriptor)
  return buffer.toString('utf8', 0, length)
}
