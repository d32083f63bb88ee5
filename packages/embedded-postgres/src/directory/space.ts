import { existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Cluster } from '../cluster/cluster.ts'
import { EmbeddedServerError } from '../error.ts'

const MEGABYTE = 2 ** 20
/** A new cluster has 40 MB, the tables and the first minutes of the log as much again. */
const NEEDED = 100 * MEGABYTE

/** Refuses to create a database where the disk has no space for it: what initdb says then does not name the disk. @throws EmbeddedServerError */
export function requireSpace({ data, directory }: Cluster): void {
  const { bavail, bsize } = statfsSync(existsSync(data) ? data : dirname(data))
  const free = bavail * bsize
  if (free >= NEEDED) return
  const [has, needs] = [free, NEEDED].map((bytes) => Math.floor(bytes / MEGABYTE))
  throw new EmbeddedServerError(
    `DATA_DIR: the disk of ${directory} is full: it has ${has} MB left, a new database needs ${needs} MB`,
  )
}
