import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PATH } from '../machine/program.ts'
import { allFollow } from './members.ts'
import { type DatabaseServer, operate } from './operators.ts'

const NAMES = ['one', 'two', 'three'] as const
const DISK_MB = 2048
const DATABASE = '/var/lib/postgresql'
const SYSTEMCTL = '/usr/local/sbin/systemctl'
/** What a server has for itself; everything else it shares with this machine. */
const OWN_FOLDERS = ['/etc', '/run', '/var/lib/etcd', DATABASE, '/var/log']

const ip = (...words: string[]): void => void execFileSync('ip', words)
const run = (command: string): void => void execFileSync('sh', ['-c', command])

/** Creates the three as the guide says, with HAProxy, and waits until one is the primary and the others follow it. */
export async function startServers(): Promise<readonly DatabaseServer[]> {
  ip('link', 'add', 'servers', 'type', 'bridge')
  ip('address', 'add', '192.0.2.254/24', 'dev', 'servers')
  ip('link', 'set', 'servers', 'up')
  run(`rm -rf /etc/postgresql/* ${DATABASE}/* /var/lib/etcd/*`)
  // It starts also what a server without systemd of its own has.
  copyFileSync(join(import.meta.dirname, 'systemctl.sh'), SYSTEMCTL)
  chmodSync(SYSTEMCTL, 0o755)
  const servers = await Promise.all(NAMES.map(newServer))
  await Promise.all(servers.map((server) => operate(['What you need', 'Each of the three servers'], server)))
  await operate(['What you need', 'Beside the gateways and workers'])
  await allFollow(servers)
  for (const server of servers) await operate(['See how they are'], server)
  return servers
}

/** A machine, as far as it has to be one: a network, processes, and a disk with the folders that the three do not share. */
async function newServer(name: string, index: number): Promise<DatabaseServer> {
  const address = `192.0.2.${11 + index}`
  const disk = `/srv/${name}`
  ip('netns', 'add', name)
  ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
  ip('link', 'set', name, 'master', 'servers', 'up')
  ip('-n', name, 'address', 'add', `${address}/24`, 'dev', 'eth0')
  for (const device of ['eth0', 'lo']) ip('-n', name, 'link', 'set', device, 'up')
  mkdirSync(disk, { recursive: true })
  run(`mount -t tmpfs -o size=${DISK_MB}m disk ${disk}`)
  for (const folder of OWN_FOLDERS) {
    mkdirSync(join(disk, folder), { recursive: true })
    if (folder !== '/run') run(`cp --archive ${folder}/. ${disk}${folder}`)
  }
  run(`install -d -o postgres -g postgres ${disk}/run/postgresql ${disk}${DATABASE}`)
  run(`install -d -o etcd -g etcd -m 700 ${disk}/var/lib/etcd ${disk}/var/lib/etcd/payments`)
  // Keeps the folders in their places, also while the power is lost.
  const mounts = OWN_FOLDERS.map((folder) => `mount --bind ${disk}${folder} ${folder}`)
  const program = `${mounts.join(' && ')} && echo done && exec sleep infinity`
  const keeper: ChildProcess = spawn('unshare', ['--mount', 'sh', '-c', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise((resolve) => keeper.stdout?.once('data', resolve))
  const within = ['nsenter', '--target', String(keeper.pid), '--mount', '--root', '--wd=/', `--net=/run/netns/${name}`]
  return { name, address, disk, within }
}

/** Starts what a machine starts when it has power again. */
export function startServer({ disk, within: [program = '', ...words] }: DatabaseServer): void {
  run(`rm -f ${disk}/run/*.pid`)
  execFileSync(program, [...words, 'systemctl', 'start', 'etcd', 'patroni'], { env: { PATH }, stdio: 'ignore' })
}

/** Sends a signal to every process of a server at once. */
export function signal({ name }: DatabaseServer, which: 'KILL' | 'STOP' | 'CONT'): void {
  run(`kill -${which} $(ip netns pids ${name})`)
}

/** Kills PostgreSQL's first process alone, as the kernel does when memory is short. */
export function killPostgres({ disk }: DatabaseServer): void {
  const file = join(disk, DATABASE, 'patroni/postmaster.pid')
  process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGKILL')
}

/** Cuts a server off from all others, or connects it again. */
export const connect = ({ name }: DatabaseServer, connected: boolean): void =>
  ip('link', 'set', name, connected ? 'up' : 'down')

/** Takes all space of a disk, or gives it back. */
export function fillDisk({ disk }: DatabaseServer, full: boolean): void {
  run(full ? `cat /dev/zero > ${disk}/filler 2> /dev/null || true` : `rm ${disk}/filler`)
}
