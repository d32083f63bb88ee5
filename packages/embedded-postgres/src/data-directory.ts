import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Cluster } from './cluster.ts'
import { EmbeddedServerError } from './error.ts'
import { canReach, type ServerUser } from './user.ts'

/** Where data is stored that its server's user could not walk to: below a root user's private folders. */
const ELSEWHERE = '/var/lib/payments'

/** Finds the place of the data, whether it exists yet or not, and the files beside it. */
export function locateCluster(directory: string, user: ServerUser | undefined): Cluster {
  const data = orUnusable(directory, () => locateData(directory, user))
  return { directory, data, log: `${data}.log`, credentials: `${data}.json`, user }
}

/** The data directory itself, or, where the server's user cannot walk there, one in /var/lib that a link points to. */
function locateData(directory: string, user: ServerUser | undefined): string {
  mkdirSync(directory, { recursive: true })
  const data = join(realpathSync(directory), 'postgres')
  if (lstatSync(data, { throwIfNoEntry: false })?.isSymbolicLink()) return realpathSync(data)
  if (user && statSync(directory).uid === user.uid) return data
  if (canReach(realpathSync(directory), user)) return data
  if (hasEntries(data)) throw new Error(`the user that PostgreSQL runs as cannot reach ${data}`)
  const elsewhere = join(ELSEWHERE, randomBytes(8).toString('hex'), 'postgres')
  const created = mkdirSync(elsewhere, { recursive: true })
  // The server's user must be able to walk there whatever the umask of this process is, and needs nothing more.
  chmodSync(dirname(elsewhere), 0o711)
  if (created === ELSEWHERE) chmodSync(ELSEWHERE, 0o711)
  rmSync(data, { recursive: true, force: true })
  symlinkSync(elsewhere, data)
  return elsewhere
}

/** Does the directory hold a database? One that holds other files is refused: they are not ours to delete. */
export function holdsDatabase({ data, directory }: Cluster): boolean {
  return orUnusable(directory, () => {
    if (existsSync(join(data, 'PG_VERSION'))) return true
    if (hasEntries(data)) throw new Error(`${data} holds files but no database: move it away`)
    return false
  })
}

const hasEntries = (path: string): boolean => existsSync(path) && readdirSync(path).length > 0

/** Closes the data, the passwords and the log to other users: earlier versions and restored backups may have left them open. */
export function makePrivate({ data, credentials, log, directory }: Cluster): void {
  orUnusable(directory, () => {
    restrict(data, 0o700)
    for (const file of [credentials, log]) if (existsSync(file)) restrict(file, 0o600)
  })
}

function restrict(path: string, mode: number): void {
  if (statSync(path).mode & 0o077) chmodSync(path, mode)
}

function orUnusable<T>(directory: string, use: () => T): T {
  try {
    return use()
  } catch (error) {
    throw new EmbeddedServerError(`DATA_DIR: ${directory} cannot be used (${(error as Error).message})`)
  }
}

/** Deletes the data and everything beside it. */
export function deleteCluster({ data, directory }: Cluster): void {
  rmSync(data, { recursive: true, force: true })
  rmSync(directory, { recursive: true, force: true })
  if (data.startsWith(`${ELSEWHERE}/`)) rmSync(dirname(data), { recursive: true, force: true })
}
