import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '@payments/checks'
import { Client } from 'pg'

const DEPLOY = join(root, 'deploy/patroni')
const NAMES = ['one', 'two', 'three'] as const
export const SUPERUSER = { username: 'postgres', password: 'of-the-superuser' } as const
/** Where HAProxy leads to the primary, as deploy/patroni/haproxy.cfg says. */
const PRIMARY = '127.0.0.1:5000'
const DISK_MB = 1024
const PATIENCE_MS = 120_000

/** A server of three: an etcd member, Patroni and PostgreSQL in a network of its own, with a disk of its own. */
export interface DatabaseServer {
  readonly name: string
  readonly address: string
  readonly folder: string
}

/** As Patroni shows it at `/cluster`. */
interface Member {
  readonly name: string
  readonly timeline: number
  readonly role: string
  readonly state: string
}

const ip = (...words: string[]): void => void execFileSync('ip', words)
const run = (command: string): void => void execFileSync('sh', ['-c', command])

/** Creates the three and HAProxy, and waits until one is the primary and the others follow it. */
export async function startServers(): Promise<readonly DatabaseServer[]> {
  ip('link', 'add', 'servers', 'type', 'bridge')
  ip('address', 'add', '192.0.2.254/24', 'dev', 'servers')
  ip('link', 'set', 'servers', 'up')
  run('rm -rf /etc/postgresql/* /var/lib/postgresql/*')
  const servers = NAMES.map((name, index) => {
    const server = { name, address: `192.0.2.${11 + index}`, folder: `/srv/${name}` }
    ip('netns', 'add', name)
    ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
    ip('link', 'set', name, 'master', 'servers', 'up')
    ip('-n', name, 'address', 'add', `${server.address}/24`, 'dev', 'eth0')
    ip('-n', name, 'link', 'set', 'eth0', 'up')
    ip('-n', name, 'link', 'set', 'lo', 'up')
    mkdirSync(server.folder, { recursive: true })
    run(`mount -t tmpfs -o size=${DISK_MB}m disk ${server.folder}`)
    for (const folder of ['etcd', 'run']) mkdirSync(join(server.folder, folder))
    const settings = readFileSync(join(DEPLOY, 'patroni.yml'), 'utf8')
    writeFileSync(
      join(server.folder, 'patroni.yml'),
      // The three have one file system here.
      settings.replace('/var/run/postgresql', join(server.folder, 'run')),
    )
    chmodSync(join(server.folder, 'etcd'), 0o700)
    run(`chown -R postgres:postgres ${server.folder}`)
    return server
  })
  for (const server of servers) startServer(server, servers)
  spawn('haproxy', ['-f', join(DEPLOY, 'haproxy.cfg')], { stdio: 'ignore' })
  await allFollow(servers)
  return servers
}

/** Starts etcd and Patroni of a server, as its machine does when it has power again. */
export function startServer(server: DatabaseServer, servers: readonly DatabaseServer[]): void {
  const { name, address, folder } = server
  background(server, 'etcd', [
    ...['etcd', '--name', name, '--data-dir', join(folder, 'etcd'), '--initial-cluster-token', 'payments'],
    ...['--listen-peer-urls', `http://${address}:2380`, '--initial-advertise-peer-urls', `http://${address}:2380`],
    ...['--listen-client-urls', `http://${address}:2379`, '--advertise-client-urls', `http://${address}:2379`],
    ...['--initial-cluster', servers.map((each) => `${each.name}=http://${each.address}:2380`).join(',')],
  ])
  background(server, 'patroni', ['patroni', join(folder, 'patroni.yml')], environmentOf(server, servers))
}

function environmentOf({ name, address, folder }: DatabaseServer, servers: readonly DatabaseServer[]) {
  const [version = ''] = readdirSync('/usr/lib/postgresql').toReversed()
  return {
    PATRONI_NAME: name,
    PATRONI_ETCD3_HOSTS: servers.map((each) => `'${each.address}:2379'`).join(','),
    PATRONI_RESTAPI_LISTEN: `${address}:8008`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `${address}:8008`,
    PATRONI_POSTGRESQL_LISTEN: `${address}:5432`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${address}:5432`,
    PATRONI_POSTGRESQL_DATA_DIR: join(folder, 'data'),
    PATRONI_POSTGRESQL_BIN_DIR: `/usr/lib/postgresql/${version}/bin`,
    PATRONI_POSTGRESQL_PGPASS: join(folder, 'run/pgpass'),
    PATRONI_SUPERUSER_PASSWORD: SUPERUSER.password,
    PATRONI_REPLICATION_PASSWORD: 'of-the-replicator',
  }
}

function background({ name, folder }: DatabaseServer, program: string, words: readonly string[], environment = {}) {
  const log = join('/tmp', `${name}-${program}.log`)
  const command = `exec nsenter --net=/run/netns/${name} setpriv --reuid postgres --regid postgres --init-groups "$@" >> ${log} 2>&1`
  spawn('sh', ['-c', command, 'sh', ...words], {
    cwd: folder,
    stdio: 'ignore',
    env: { ...process.env, ...environment },
  })
}

/** Sends a signal to every process of a server at once. */
export function signal({ name }: DatabaseServer, which: 'KILL' | 'STOP' | 'CONT'): void {
  run(`kill -${which} $(ip netns pids ${name})`)
}

/** Kills PostgreSQL's first process alone, as the kernel does when memory is short. */
export function killPostgres({ folder }: DatabaseServer): void {
  process.kill(Number(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL')
}

/** Cuts a server off from all others, or connects it again. */
export const connect = ({ name }: DatabaseServer, connected: boolean): void =>
  ip('link', 'set', name, connected ? 'up' : 'down')

const filler = ({ folder }: DatabaseServer): string => join(folder, 'filler')
/** Takes all space of a disk, or gives it back. */
export function fillDisk(server: DatabaseServer, full: boolean): void {
  run(full ? `cat /dev/zero > ${filler(server)} 2> /dev/null || true` : `rm ${filler(server)}`)
}

/** What operators type to replace the primary. */
export function switchOver(server: DatabaseServer, servers: readonly DatabaseServer[]): void {
  execFileSync('patronictl', ['-c', join(server.folder, 'patroni.yml'), 'switchover', 'payments', '--force'], {
    env: { ...process.env, ...environmentOf(server, servers) },
    stdio: 'pipe',
  })
}

async function members(servers: readonly DatabaseServer[]): Promise<readonly Member[]> {
  const answers = servers.map(async ({ address }) => {
    const answer = await fetch(`http://${address}:8008/cluster`, { signal: AbortSignal.timeout(2000) })
    return ((await answer.json()) as { members: Member[] }).members
  })
  return Promise.any(answers).catch(() => [])
}

/** The server that holds the leader's lease, as the others see it, and the timeline of its WAL: each promotion begins another one. */
export async function primaryOf(
  servers: readonly DatabaseServer[],
): Promise<{ readonly server: DatabaseServer; readonly timeline: number } | undefined> {
  const leader = (await members(servers)).find(({ role, state }) => role === 'leader' && state === 'running')
  const server = servers.find(({ name }) => name === leader?.name)
  return leader && server ? { server, timeline: leader.timeline } : undefined
}

/** The URL of a database of the primary. */
export const urlOf = ({ username, password }: { username: string; password: string }, database: string): string =>
  `postgres://${username}:${password}@${PRIMARY}/${database}`

/** Standbys that stream from the primary, in the words of the primary: Patroni says `running` of one that does not, too. */
async function streaming(): Promise<readonly string[]> {
  const client = new Client({ connectionString: urlOf(SUPERUSER, 'postgres'), query_timeout: 2000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ sync_state: string }>(
      "select sync_state from pg_stat_replication where state = 'streaming'",
    )
    return rows.map(({ sync_state }) => sync_state)
  } catch {
    return []
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Waits until one is the primary, the others stream from it, and one of them is synchronous. @throws Error after two minutes */
export async function allFollow(servers: readonly DatabaseServer[]): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(500)) {
    const standbys = await streaming()
    if (standbys.length === servers.length - 1 && standbys.includes('sync')) return
  }
  throw new Error(`Not all standbys stream: ${JSON.stringify([await members(servers), await streaming()])}`)
}
