import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cellText, newId } from '@payments/kernel'

const CONFIGURATION = fileURLToPath(new URL('../../../../deploy/cells/haproxy.cfg', import.meta.url))
const GIVE_MAPS = fileURLToPath(new URL('../../../../deploy/cells/maps.sh', import.meta.url))
const run = promisify(execFile)
const MAPS = ['keys', 'emails', 'ids'] as const

/** A cell as the proxy finds it: the ports of its gateway and of its internal server. */
export interface ProxiedCell {
  readonly url: string
  readonly internalUrl: string
}

/** Lines of the maps that are asked of the cells, without the cells' own. */
export type CellMaps = Readonly<Record<(typeof MAPS)[number], readonly string[]>>

/** The documented proxy before cells on this machine, cell 0 first. */
export interface CellsProxy {
  /** `https://127.0.0.1:port`. */
  readonly url: string
  /** Gives the maps to the proxy by the documented command: the next request reads them. */
  write(maps: CellMaps): Promise<void>
  /** Has the proxy read its configuration again, as for a new certificate. Waits until no process from before is left. */
  reload(): Promise<void>
  stop(): Promise<void>
}

const socketOf = (folder: string): string => join(folder, 'admin.sock')

/** The documented configuration, with its addresses and files on this machine. @throws Error where it has changed so that it does not fit */
function configurationOf(folder: string, port: number, cells: readonly ProxiedCell[]): string {
  const portOf = (url: string) => new URL(url).port
  let text = readFileSync(CONFIGURATION, 'utf8')
  const replace = (from: string | RegExp, to: string) => {
    const next = text.replace(from, to)
    if (next === text) throw new Error(`deploy/cells/haproxy.cfg has no ${from}`)
    text = next
  }
  replace(/^ {2}(user|group) .*\n/gm, '')
  replace(/presetenv CELLS_MAPS .*/, `presetenv CELLS_MAPS ${folder}`)
  replace(/presetenv CELLS_SINCE .*/, `presetenv CELLS_SINCE ${newId().slice(0, 13)}`)
  replace('/run/haproxy/admin.sock', socketOf(folder))
  replace('  bind :80\n', '')
  const certificate = join(folder, 'payments.pem')
  replace('bind :443 ssl crt /etc/haproxy/payments.pem', `bind 127.0.0.1:${port} ssl crt ${certificate}`)
  replace(/^frontend metrics\n( {2}.*\n)+/m, '')
  replace(/^ {2}server gateway-2 .*\n/gm, '')
  for (const [number, { url, internalUrl }] of cells.entries())
    replace(
      new RegExp(`server gateway-1 10.0.${number}.10:4001 port 4101`),
      `server gateway-1 127.0.0.1:${portOf(url)} port ${portOf(internalUrl)}`,
    )
  return text
}

/** Starts HAProxy by the documented configuration, with a certificate for loopback. @throws Error when it does not serve within ten seconds */
export async function startCellsProxy(
  port: number,
  cells: readonly ProxiedCell[],
  { cert, key }: { readonly cert: string; readonly key: string },
  maps: CellMaps = { keys: [], emails: [], ids: [] },
): Promise<CellsProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'payments-cells-'))
  const file = (name: string, lines: readonly string[]) =>
    writeFileSync(join(folder, name), lines.map((line) => `${line}\n`).join(''))
  file('payments.pem', [cert, key])
  file(
    'cells.map',
    [...cells.keys()].map((number) => `${cellText(number)} cell-${cellText(number)}`),
  )
  for (const map of MAPS) file(`${map}.map`, maps[map])
  writeFileSync(join(folder, 'haproxy.cfg'), configurationOf(folder, port, cells))
  const proxy: ChildProcess = spawn('haproxy', ['-W', '-db', '-q', '-f', join(folder, 'haproxy.cfg')], {
    stdio: 'inherit',
  })
  const gone = once(proxy, 'exit')
  // It takes signals once it serves.
  for (let tries = 0; !(await accepts(port, cert)); tries++) {
    if (tries === 100 || proxy.exitCode !== null) throw new Error('HAProxy does not serve')
    await sleep(100)
  }
  return {
    url: `https://127.0.0.1:${port}`,
    async write(next) {
      mkdirSync(join(folder, 'new'), { recursive: true })
      for (const map of MAPS) file(`new/${map}.map`, next[map])
      const env = { ...process.env, CELLS_MAPS: folder, HAPROXY_SOCKET: socketOf(folder) }
      await run('sh', [GIVE_MAPS, join(folder, 'new')], { env })
    },
    async reload() {
      const before = workersOf(proxy)
      proxy.kill('SIGUSR2')
      for (let tries = 0; workersOf(proxy).some((pid) => before.includes(pid)); tries++) {
        if (tries === 600) throw new Error('HAProxy does not read its configuration again')
        await sleep(50)
      }
    },
    async stop() {
      proxy.kill('SIGTERM')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Whether what listens shows this certificate: another process may have taken the port. */
const accepts = (port: number, certificate: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
    socket
      .once('error', () => resolve(false))
      .once('secureConnect', () => {
        resolve(socket.getPeerX509Certificate()?.fingerprint256 === new X509Certificate(certificate).fingerprint256)
        socket.destroy()
      })
  })

/** The processes that serve. */
const workersOf = ({ pid }: ChildProcess): readonly string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
