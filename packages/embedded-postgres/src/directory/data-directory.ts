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
import type { Cluster } from '../cluster/cluster.ts'
import { canReach, type ServerUser } from '../cluster/user.ts'
import { EmbeddedServerError } from '../error.ts'
import { socketFolder } from './sockets.ts'

/** Data is stored here if the server's user cannot access the configured directory, such as one below the home of root. */
const FALLBACK_DIRECTORY = '/var/lib/payments'

/** Determines the paths of the data directory and of the files beside it. The data need not exist yet. */
export function locateCluster(directory: string, user: ServerUser | undefined): Cluster {
  const data = orUnusable(directory, () => locateData(directory, user))
  return { directory, data, log: `${data}.log`, sockets: socketFolder(data), credentials: `${data}.json`, user }
}

/** The data directory, or, if the server's user cannot access it, a directory in /var/lib to which it becomes a link. */
function locateData(directory: string, user: ServerUser | undefined): string {
  mkdirSync(directory, { recursive: true })
  const data = join(realpathSync(directory), 'postgres')
  if (lstatSync(data, { throwIfNoEntry: false })?.isSymbolicLink()) return realpathSync(data)
  if (user && statSync(directory).uid === user.uid) return data
  if (canReach(realpathSync(directory), user)) return data
  if (hasEntries(data)) throw new Error(`the user that PostgreSQL runs as cannot reach ${data}`)
  const fallback = join(FALLBACK_DIRECTORY, randomBytes(8).toString('hex'), 'postgres')
  const created = mkdirSync(fallback, { recursive: true })
  // The server's user needs only the permission to traverse these directories, whatever the umask of this process is.
  chmodSync(dirname(fallback), 0o711)
  if (created === FALLBACK_DIRECTORY) chmodSync(FALLBACK_DIRECTORY, 0o711)
  rmSync(data, { recursive: true, force: true })
  symlinkSync(fallback, data)
  return fallback
}

/** True if the directory contains a database. A directory with other files is refused, because they must not be deleted. */
export function holdsDatabase({ data, directory }: Cluster): boolean {
  return orUnusable(directory, () => {
    if (existsSync(join(data, 'PG_VERSION'))) return true
    if (hasEntries(data)) throw new Error(`${data} contains files but no database: move it away`)
    return false
  })
}

const hasEntries = (path: string): boolean => existsSync(path) && readdirSync(path).length > 0

/** Removes other users' access to the data, the passwords and the log, which a restored backup may have left. */
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

/** Deletes the data and the whole directory. */
export function deleteCluster({ data, directory, sockets }: Cluster): void {
  if (sockets !== data) rmSync(sockets, { recursive: true, force: true })
  rmSync(data, { recursive: true, force: true })
  rmSync(directory, { recursive: true, force: true })
  if (data.startsWith(`${FALLBACK_DIRECTORY}/`)) rmSync(dirname(data), { recursive: true, force: true })
}
