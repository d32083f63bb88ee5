import { readdirSync, readFileSync } from 'node:fs'
import type { Client } from 'pg'

/** Of a tick of the kernel's clock, in which /proc counts (Linux, all architectures). */
const TICK_MICROSECONDS = 10_000

/**
 * Processor time of a server's processes in microseconds, until now, with those that have ended: also what its statistics of statements leave out, which is to
 * parse, to plan, to commit and to write the log (Linux).
 * @param apart processes that are not counted while they run
 */
export async function serverTime(client: Client, apart: readonly number[] = []): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const server = parentOf(statOf(String(rows[0]?.pid)))
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && !apart.includes(Number(name)))
    .map(statOf)
    .filter((stat) => parentOf(stat) === server)
  const ended = ticks(statOf(String(server)), ENDED)
  return TICK_MICROSECONDS * processes.reduce((sum, stat) => sum + ticks(stat, OWN), ended)
}

/** Processor time of a process in microseconds, until now (Linux). */
export const processTime = (pid: number): number => TICK_MICROSECONDS * ticks(statOf(String(pid)), OWN)

/** Places behind the name of the program, which may have spaces: user time, and system time behind it (proc_pid_stat(5)). */
const PARENT = 1
const OWN = 11
const ENDED = 13

const ticks = (stat: readonly string[], from: number): number => Number(stat[from]) + Number(stat[from + 1])

const parentOf = (stat: readonly string[]): string | undefined => stat[PARENT]

function statOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
  } catch {
    // It has ended since it was listed.
    return []
  }
}
