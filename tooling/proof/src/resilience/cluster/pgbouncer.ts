import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SESSION_STATEMENTS } from '@payments/platform'
import { freePort, until } from '@payments/stand'

/** PgBouncer refuses to run as root. */
const NOBODY = 65_534

export interface Pooler {
  /** The URL of a database, through the pooler. */
  through(url: string): string
  stop(): Promise<void>
}

/**
 * PgBouncer in transaction mode with few connections, so that every transaction may get another one. `statements` run on each of its
 * connections to the server.
 */
export async function startPgBouncer(serviceUrl: string, statements = SESSION_STATEMENTS): Promise<Pooler> {
  const { port: serverPort, pathname, username, password } = new URL(serviceUrl)
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'payments-pgbouncer-'))
  const files = {
    'users.txt': `"${username}" "${password}"\n`,
    'pgbouncer.ini': `[databases]
${pathname.slice(1)} = host=127.0.0.1 port=${serverPort} dbname=${pathname.slice(1)} connect_query='${statements.replaceAll("'", "''")}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
default_pool_size = 8
max_client_conn = 200
ignore_startup_parameters = options
`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 })
  const asRoot = process.getuid?.() === 0
  if (asRoot)
    for (const path of [folder, ...Object.keys(files).map((name) => join(folder, name))])
      chownSync(path, NOBODY, NOBODY)
  chmodSync(folder, 0o700)
  const child = spawn('pgbouncer', ['-q', join(folder, 'pgbouncer.ini')], {
    stdio: 'ignore',
    cwd: '/',
    ...(asRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  })
  await listening(port)
  return {
    through(url) {
      const own = new URL(url)
      own.hostname = '127.0.0.1'
      own.port = String(port)
      return own.href
    },
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const listening = (port: number): Promise<void> =>
  until('PgBouncer listens', () => {
    const socket = connect(port, '127.0.0.1')
    return once(socket, 'connect').then(
      () => {
        socket.destroy()
        return true
      },
      () => false,
    )
  })
