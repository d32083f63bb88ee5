import { createHash } from 'node:crypto'
import { chownSync, lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Cluster } from '../cluster/cluster.ts'

/** What fits into a socket's address on every system, with its zero byte: `sun_path` of macOS has 104 bytes. */
const LONGEST_ADDRESS = 103
const FILE = '/.s.PGSQL.65535'
/** A path that needs no quotes in the server's list of folders. */
const PLAIN = /^[\w./-]+$/

/**
 * The folder of the server's socket: the data directory, which no other user can enter, or a private one in `/tmp` where its path is too
 * long. On a port of this machine any user could listen after a crash, and be told the password.
 */
export function socketFolder(data: string): string {
  if (PLAIN.test(data) && Buffer.byteLength(data + FILE) <= LONGEST_ADDRESS) return data
  return join('/tmp', `payments-${createHash('sha256').update(data).digest('hex').slice(0, 16)}`)
}

/** Creates the folder in `/tmp` if there is one. @throws Error when another user has created a file of that name. */
export function makeSocketFolder({ data, sockets, user }: Cluster): void {
  if (sockets === data) return
  try {
    mkdirSync(sockets, { mode: 0o700 })
    if (user) chownSync(sockets, user.uid, user.gid)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const found = lstatSync(sockets)
  const owner = user?.uid ?? process.getuid?.()
  if (!found.isDirectory() || found.uid !== owner || found.mode & 0o077)
    throw new Error(`${sockets} belongs to another user: its name follows from the long path of ${data}`)
}
