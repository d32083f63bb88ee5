import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { EmbeddedServerError } from '../error.ts'

export interface ServerUser {
  readonly uid: number
  readonly gid: number
}

/** The user that the server runs as if this process is root: `postgres` if it exists, else `nobody`. Undefined otherwise. */
export function serverUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  const rows = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const row = rows.find(([name]) => name === 'postgres') ?? rows.find(([name]) => name === 'nobody')
  if (!row)
    throw new EmbeddedServerError(
      'PostgreSQL refuses to run as root and this machine has no user "nobody": set DATABASE_URL',
    )
  return { uid: Number(row[2]), gid: Number(row[3]) }
}

/** True if the user can access this path. Checked as that user, because mode bits are not sufficient (ACLs, mounts). */
export function canReach(path: string, user: ServerUser | undefined): boolean {
  if (!user) return true
  return (
    spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], { uid: user.uid, gid: user.gid, cwd: '/' }).status === 0
  )
}
