import { readdirSync, readFileSync } from 'node:fs'
import type { Client } from 'pg'

/** Of a tick of the kernel's clock, in which /proc counts (Linux, all architectures). */
const TICK_MICROSECONDS = 10_000

/**
 * Processor time of a server's processes in microseconds, until now: also what its statistics of statements leave out, which is to parse, to plan,
 * to commit and to write the log. Sessions that have ended are not in it (Linux).
 */
export async function serverTime(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const server = parentOf(statOf(String(rows[0]?.pid)))
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter((stat) => parentOf(stat) === server)
    .reduce((sum, stat) => sum + TICK_MICROSECONDS * (Number(stat[USER]) + Number(stat[SYSTEM])), 0)
}

/** Places behind the name of the program, which may have spaces (proc_pid_stat(5)). */
const PARENT = 1
const USER = 11
const SYSTEM = 12

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
