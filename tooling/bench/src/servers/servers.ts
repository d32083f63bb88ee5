import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type DatabaseUrls, end, freePort, launchGateway, sharedSettings } from '@payments/stand'

/** A database, and the folder of the process that uses it. */
export interface Place extends DatabaseUrls {
  readonly dataDir: string
}

/** A program under load. */
export interface RunningServer {
  readonly origin: string
  readonly pid: number
  stop(): Promise<void>
}

/** Starts the service as a process of its own on a database, without limits and, unless `env` says otherwise, without a worker. */
export async function startGateway(
  env: Readonly<Record<string, string>>,
  at: Place,
  folder?: string,
): Promise<RunningServer> {
  const { url, pid, stop } = await launchGateway(sharedSettings(at, env), folder)
  return { origin: url, pid, stop }
}

/** Starts a floor, which serves on `PORT` and answers `/health`. */
export async function startFloor(file: string, at: Place): Promise<RunningServer & { readonly child: ChildProcess }> {
  const port = await freePort()
  const child = fork(file, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...sharedSettings(at), PORT: String(port) },
  })
  const origin = `http://127.0.0.1:${port}`
  const stop = () => end(child, 'SIGTERM')
  for (let tries = 0; tries < 300 && child.exitCode === null; tries++) {
    if (await fetch(`${origin}/health`).catch(() => undefined)) return { origin, pid: child.pid as number, child, stop }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await stop()
  throw new Error(`${file} does not serve`)
}

/** Memory of a process that is in RAM, in bytes (Linux). */
export const residentBytes = ({ pid }: RunningServer): number =>
  Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+) kB/)?.[1] ?? Number.NaN) * 1024

/** A database server with memory and log for large tables. */
export const LARGE = ['shared_buffers=512MB', 'max_wal_size=4GB']
