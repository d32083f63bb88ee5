import { setTimeout as sleep } from 'node:timers/promises'
import type { Random, ServiceProcess } from '@payments/stand'
import { rows, type StandDatabase } from '@payments/stand'

export type Target = 'gateway' | 'worker' | 'database process' | 'database server'

/** The embedded server is given up when it dies five times in half a minute. */
const SERVER_KILL_MS = 10_000
/** How long a process lives between two kills, at most, after it is ready. */
const LIFE_MS = 700

/**
 * Kills processes at random until `times` is reached: the gateway and the worker, the PostgreSQL server and single processes of it,
 * whose death makes it recover. Returns how often each was killed.
 */
export async function killAtRandom(
  options: {
    readonly times: number
    readonly database: StandDatabase
    readonly gateway: ServiceProcess
    readonly worker: ServiceProcess
    onKill(target: Target, count: number): void
  },
  random: Random,
): Promise<Record<Target, number>> {
  const { database, gateway, worker } = options
  const counts: Record<Target, number> = { gateway: 0, worker: 0, 'database process': 0, 'database server': 0 }
  let serverKilledAt = 0
  for (let killed = 0; killed < options.times; killed++) {
    let target = random.pick<Target>([
      'gateway',
      'gateway',
      'gateway',
      'worker',
      'worker',
      'worker',
      'worker',
      'database process',
      'database server',
    ])
    if (target === 'database server' && Date.now() - serverKilledAt < SERVER_KILL_MS) target = 'database process'
    if (target === 'gateway' || target === 'worker') {
      const process = target === 'gateway' ? gateway : worker
      // Most kills hit a process at work, some one that is starting.
      if (random.chance(0.85)) await process.ready()
      await sleep(random.below(LIFE_MS))
      await process.kill()
    } else {
      await gateway.ready()
      await sleep(random.below(LIFE_MS))
      if (target === 'database server') {
        serverKilledAt = Date.now()
        database.kill()
      } else await killBackend(database)
    }
    counts[target]++
    options.onKill(target, killed + 1)
  }
  return counts
}

/** SIGKILL of one process of the database server that serves the service. The server ends all others and recovers. */
async function killBackend(database: StandDatabase): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const [found] = await rows<{ pid: number }>(
      database,
      "select pid from pg_stat_activity where application_name like 'payments%' and datname = current_database() order by random() limit 1",
    )
    if (found && killed(found.pid)) return
    await sleep(50)
  }
  throw new Error('The service has no connection to the database')
}

/** False where the process has ended since it was listed. */
function killed(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

/**
 * Ends single connections of the service at random until the signal, every second or two. A process that loses one while it starts
 * ends, as it should, and is started again; cut more often, none would get beyond its start on a busy machine. Returns how many.
 */
export async function cutConnections(database: StandDatabase, stop: AbortSignal): Promise<number> {
  let cut = 0
  while (!stop.aborted) {
    const ended = await rows<{ done: boolean }>(
      database,
      `select pg_terminate_backend(pid) as done from pg_stat_activity
        where datname = current_database() and application_name like 'payments%' and application_name <> 'payments-migrate'
        order by random() limit 1`,
    )
    cut += ended.filter(({ done }) => done).length
    await sleep(800 + Math.random() * 1200)
  }
  return cut
}
