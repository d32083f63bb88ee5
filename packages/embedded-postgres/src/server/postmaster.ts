import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The first process of a running server: the parent of the others, and the one that receives signals. */
export interface Postmaster {
  readonly pid: number
  readonly port: number
  /** The folder of its socket; empty for a server that was started without one. */
  readonly sockets: string
  /** True if it was already running: an earlier process or another running service started it. */
  readonly found: boolean
}

/** The content of the server's `postmaster.pid`; see PostgreSQL's miscinit.c and pidfile.h. */
interface PidFile extends Postmaster {
  readonly status: string | undefined
}

const ON_LINUX = process.platform === 'linux'

function readPidFile(data: string): PidFile | undefined {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
    return {
      pid: Number(lines[0]),
      port: Number(lines[3]),
      sockets: lines[4]?.trim() ?? '',
      found: true,
      status: lines[7]?.trim(),
    }
  } catch {
    return undefined
  }
}

/** The server that runs on this data directory, in any state; undefined if none runs. */
export function findPostmaster(data: string): PidFile | undefined {
  const found = readPidFile(data)
  return found && isPostmaster(found.pid, data) ? found : undefined
}

/**
 * True if this process is the postmaster of this data directory. The process id alone is not sufficient: after a crash or a
 * reboot another process may have it, even the server of another data directory.
 */
export function isPostmaster(pid: number, data: string): boolean {
  if (!exists(pid)) return false
  const command = commandLine(pid)
  return (isEnding(command) || /\/postgres[\0 ]-D[\0 ]/.test(command)) && worksIn(pid, data, command)
}

/** Deletes the lock file of a dead server if another process now has its id: PostgreSQL would otherwise refuse to start. */
export function deleteStalePidFile(data: string): void {
  const stale = readPidFile(data)
  if (!stale || !exists(stale.pid) || isPostmaster(stale.pid, data)) return
  if (readPidFile(data)?.pid === stale.pid) rmSync(join(data, 'postmaster.pid'), { force: true })
}

/** The processes whose postmaster has died. They can be found on Linux only. */
export function findOrphans(data: string): number[] {
  if (!ON_LINUX) return []
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.filter((pid) => {
    const command = commandLine(pid)
    if (!isEnding(command) && !command.startsWith('postgres: ')) return false
    return worksIn(pid, data, command) && !isPostmaster(parentOf(pid), data)
  })
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function exists(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** A process that is exiting has no command line, and shortly afterwards no working directory. */
const isEnding = (command: string): boolean => command === ''

/** The program and its arguments, separated by zero bytes on Linux and by spaces elsewhere; empty for a process that has ended. */
function commandLine(pid: number): string {
  if (!ON_LINUX) return spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? ''
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** The working directory of a server's processes is its data directory, which may have several mount points or be deleted. */
function worksIn(pid: number, data: string, command: string): boolean {
  if (!ON_LINUX) return command.includes(data)
  const folder = `/proc/${pid}/cwd`
  try {
    if ([data, `${data} (deleted)`].includes(readlinkSync(folder))) return true
    const [actual, expected] = [statSync(folder), statSync(data)]
    return actual.ino === expected.ino && actual.dev === expected.dev
  } catch {
    return false
  }
}

/** The fourth field of /proc/<pid>/stat; the second, the program's name in brackets, may contain spaces. */
function parentOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1])
  } catch {
    return 0
  }
}
