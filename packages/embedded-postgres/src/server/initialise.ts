import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findBinaries } from '../binaries/binaries.ts'
import { type Cluster, processOptions } from '../cluster/cluster.ts'
import { generatePassword, writeCredentials } from '../directory/credentials.ts'
import { holdsDatabase } from '../directory/data-directory.ts'
import { freePort } from '../directory/ports.ts'
import { requireSpace } from '../directory/space.ts'
import { EmbeddedServerError, reasonOf } from '../error.ts'

const run = promisify(execFile)

/**
 * Creates the database in a temporary directory beside the data directory and renames it when it is complete, so that a
 * process that dies meanwhile leaves no incomplete database.
 * @throws EmbeddedServerError which says so where the disk is full
 * @param durable false for a server that runs with `fsync=off`: then its first files are not flushed to disk either.
 */
export async function initialise(cluster: Cluster, durable: boolean): Promise<void> {
  const { data, directory, user } = cluster
  const unique = randomBytes(4).toString('hex')
  const fresh = `${data}.new-${unique}`
  const passwordFile = `${data}.password-${unique}`
  const credentials = { port: await freePort(), owner: generatePassword(), service: generatePassword() }
  requireSpace(cluster)
  try {
    mkdirSync(fresh, { mode: 0o700 })
    writeFileSync(passwordFile, credentials.owner, { mode: 0o600, flag: 'wx' })
    if (user) for (const path of [fresh, passwordFile]) chownSync(path, user.uid, user.gid)
    const options = ['-D', fresh, '-U', 'payments_owner', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`]
    if (!durable) options.push('--no-sync')
    await run(join(findBinaries(user), 'initdb'), [...options, '-E', 'UTF8', '--locale=C', '--no-instructions'], {
      ...processOptions(user),
      cwd: '/',
    })
    // A service that started at the same time may have been faster: its database stays, and the lock decides which service uses it.
    if (holdsDatabase(cluster)) return
    renameSync(fresh, data)
    writeCredentials(cluster, credentials)
  } catch (error) {
    if (error instanceof EmbeddedServerError) throw error
    // What others wrote meanwhile took the space.
    requireSpace(cluster)
    throw new EmbeddedServerError(`DATA_DIR: the database in ${directory} cannot be created (${reasonOf(error)})`)
  } finally {
    rmSync(passwordFile, { force: true })
    rmSync(fresh, { recursive: true, force: true })
  }
}
