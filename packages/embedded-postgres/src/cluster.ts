import type { ServerUser } from './user.ts'

/** A data directory and what its server runs on. */
export interface Cluster {
  /** The directory as configured: errors name this one. */
  readonly directory: string
  /** The data directory itself, without symbolic links. */
  readonly data: string
  /** File that the server's log is appended to. */
  readonly log: string
  /** File with the port and the passwords. */
  readonly credentials: string
  /** Whom the server runs as; undefined: as the user of this process. */
  readonly user: ServerUser | undefined
}

/** How the server's programs are run: as their user and with nothing of the service's environment, which holds secrets. */
export const processOptions = (user: ServerUser | undefined) => ({
  ...(user ? { uid: user.uid, gid: user.gid } : {}),
  env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C', TZ: 'UTC' },
})
