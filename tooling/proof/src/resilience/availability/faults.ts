import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '@payments/stand'
import type { Load, Seen } from '../cluster/load.ts'
import { allFollow, primaryOf } from './members.ts'
import { type DatabaseServer, operate } from './operators.ts'
import { connect, fillDisk, killPostgres, signal, startServer } from './servers.ts'

const PATIENCE = { patienceMs: 90_000, everyMs: 100 }
/** How long an operator takes to notice a full disk: its alert needs no longer. */
const NOTICE_MS = 5000
/** Writes that show that the service writes again: more than were under way. */
const ENOUGH_WRITES = 10

/** What happens to the primary or to a standby, and how it comes back. */
export interface Fault {
  readonly name: string
  /** The primary remains the primary. */
  readonly ofStandby?: true
  inflict(primary: DatabaseServer, others: readonly [DatabaseServer, DatabaseServer]): unknown
  heal?(struck: DatabaseServer): unknown
}

export const FAULTS: readonly Fault[] = [
  { name: 'PostgreSQL killed', inflict: killPostgres },
  { name: 'cut off', inflict: (primary) => connect(primary, false), heal: (former) => connect(former, true) },
  { name: 'switched over', inflict: (primary) => operate(['Switch over'], primary) },
  { name: 'power lost', inflict: (primary) => signal(primary, 'KILL'), heal: startServer },
  { name: 'paused', inflict: (primary) => signal(primary, 'STOP'), heal: (former) => signal(former, 'CONT') },
  {
    name: 'disk full',
    async inflict(primary, [other]) {
      fillDisk(primary, true)
      await sleep(NOTICE_MS)
      await operate(['Switch over'], other)
    },
    heal: (former) => fillDisk(former, false),
  },
  {
    name: 'synchronous standby cut off',
    ofStandby: true,
    inflict: (standby) => connect(standby, false),
    heal: (standby) => connect(standby, true),
  },
]

/** A busy machine can lose a standby for some seconds, also between faults: it waits until all follow. */
async function primaryAndOthers(servers: readonly DatabaseServer[]) {
  await allFollow(servers)
  const former = await primaryOf(servers)
  if (!former) throw new Error('No server is the primary')
  const others = servers.filter((each) => each !== former.server) as [DatabaseServer, DatabaseServer]
  const standby = others.find(({ name }) => name === former.standby)
  if (!standby) throw new Error('No server is the synchronous standby')
  return { ...former, standby, others }
}

/** What the clients saw until writes were acknowledged again, and until the former primary followed. */
export interface Strike {
  readonly down: Seen
  readonly healed: Seen
}

/** One fault: until a server was promoted and writes are acknowledged, and then until all three follow again. */
export async function strike(fault: Fault, servers: readonly DatabaseServer[], load: Load): Promise<Strike> {
  const { server, standby, timeline, others } = await primaryAndOthers(servers)
  const struck = fault.ofStandby ? standby : server
  load.take()
  await fault.inflict(struck, others)
  if (!fault.ofStandby)
    await until(
      `${fault.name}: another primary`,
      async () => ((await primaryOf(others))?.timeline ?? 0) > timeline,
      PATIENCE,
    )
  const before = load.writes()
  await until(`${fault.name}: an acknowledged write`, () => load.writes() > before + ENOUGH_WRITES, PATIENCE)
  const down = load.take()
  await fault.heal?.(struck)
  await allFollow(servers)
  return { down, healed: load.take() }
}

/**
 * Cuts both standbys off: a commit waits for one that does not come, and etcd has no majority, so that the primary's lease ends. Nothing is
 * acknowledged, and no process is ready, until they are back.
 */
export async function loseMajority(
  servers: readonly DatabaseServer[],
  load: Load,
  gateways: readonly { readonly internalUrl: string }[],
  forMs: number,
) {
  const { others } = await primaryAndOthers(servers)
  load.take()
  for (const other of others) connect(other, false)
  // Commits whose confirmation had arrived are answered.
  await sleep(1000)
  const before = load.writes()
  const ready = async () => {
    const answers = gateways.map(({ internalUrl }) =>
      fetch(`${internalUrl}/readyz`, { signal: AbortSignal.timeout(5000) }),
    )
    return (await Promise.all(answers)).some(({ ok }) => ok)
  }
  let readyAgain = 0
  await until('without a majority: no gateway is ready', async () => !(await ready()), PATIENCE)
  for (const end = Date.now() + forMs; Date.now() < end; await sleep(200)) if (await ready()) readyAgain++
  const acknowledged = load.writes() - before
  for (const other of others) connect(other, true)
  const since = Date.now()
  await until('with a majority: an acknowledged write', () => load.writes() > before + acknowledged, PATIENCE)
  const writesAgainMs = Date.now() - since
  await allFollow(servers)
  return { acknowledged, readyAgain, writesAgainMs, seen: load.take() }
}
