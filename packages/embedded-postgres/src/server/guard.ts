import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cluster } from '../cluster/cluster.ts'

/**
 * Waits until the service has ended, however it did, and then for the next one, which takes over with a guard of its own. Without one it
 * stops the server, unless another program has its process id now.
 */
const SCRIPT = `read -r _ || true
sleep "$1"
[ "$(cat "$2")" = "$$" ] || exit 0
[ "$(head -n 1 "$3")" = "$4" ] && kill -INT "$4"`

/**
 * Guards a server against staying behind: when this process has ended without stopping it, the server is stopped after so many seconds,
 * unless another service has taken it over. Returns what ends the guard.
 */
export function guard({ data }: Cluster, pid: number, seconds: number): () => void {
  const owner = join(data, 'guard.pid')
  const args = ['-c', SCRIPT, 'guard', String(seconds), owner, join(data, 'postmaster.pid'), String(pid)]
  // In a session of its own, so that Ctrl-C does not reach it. Its standard input ends with this process.
  const child: ChildProcess = spawn('/bin/sh', args, {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
  })
  child.on('error', () => undefined)
  child.unref()
  const input = child.stdin as NodeJS.WritableStream & { unref?(): void }
  input.on('error', () => undefined)
  input.unref?.()
  writeFileSync(owner, String(child.pid), { mode: 0o600 })
  return () => void child.kill('SIGKILL')
}
