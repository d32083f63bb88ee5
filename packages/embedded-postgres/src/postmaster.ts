import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The first process of a running server: the one that the others descend from and that signals go to. */
export interface Postmaster {
  readonly pid: number
  readonly port: number
  /** It ran already: an earlier process started it, or another service that still lives. */
  readonly found: boolean
}

/** What the server wrote about itself: see "postmaster.pid" in PostgreSQL's miscinit.c and pidfile.h. */
interface PidFile extends Postmaster {
  readonly status: string | undefined
}

const ON_LINUX = process.platform === 'linux'

function readPidFile(data: string): PidFile | undefined {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
    return { pid: Number(lines[0]), port: Number(lines[3]), found: true, status: lines[7]?.trim() }
  } catch {
    return undefined
  }
}

/** The server that runs on this data directory, in whatever state it is; undefined where none is alive. */
export function findPostmaster(data: string): PidFile | undefined {
  const found = readPidFile(data)
  return found && isPostmaster(found.pid, data) ? found : undefined
}

/**
 * Is this process the postmaster of this data directory? The process id alone does not tell: after a crash or a reboot another
 * process may have it, even the server of another data directory.
 */
export function isPostmaster(pid: number, data: string): boolean {
  if (!exists(pid)) return false
  const command = commandLine(pid)
  return (isEnding(command) || /\/postgres[\0 ]-D[\0 ]/.test(command)) && worksIn(pid, data, command)
}

/** Deletes the lock file of a server that died if another process has its id by now: PostgreSQL would refuse to start. */
export function deleteStalePidFile(data: string): void {
  const stale = readPidFile(data)
  if (!stale || !exists(stale.pid) || isPostmaster(stale.pid, data)) return
  if (readPidFile(data)?.pid === stale.pid) rmSync(join(data, 'postmaster.pid'), { force: true })
}

/** The processes that outlived their postmaster. They can be found on Linux only. */
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

/** A process that ends has lost its command line, and a moment later its working directory. */
const isEnding = (command: string): boolean => command === ''

/** The program and its arguments, separated by zero bytes on Linux and by spaces elsewhere; empty for a process that is gone. */
function commandLine(pid: number): string {
  if (!ON_LINUX) return spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? ''
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** A server's processes work in its data directory, which may be mounted in several places or be deleted by now. */
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
