import type { ServerUser } from './user.ts'

/** A data directory, the files beside it and the user of its server. */
export interface Cluster {
  /** The directory as configured. Errors name this path. */
  readonly directory: string
  /** The data directory, with symbolic links resolved. */
  readonly data: string
  /** File to which the server's log is appended. */
  readonly log: string
  /** The folder of the server's socket. */
  readonly sockets: string
  /** File with the port and the passwords. */
  readonly credentials: string
  /** The user that the server runs as; undefined: the user of this process. */
  readonly user: ServerUser | undefined
}

/** Options for the server's processes: their user, and an environment without the service's variables, which contain secrets. */
export const processOptions = (user: ServerUser | undefined) => ({
  ...(user ? { uid: user.uid, gid: user.gid } : {}),
  env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C', TZ: 'UTC' },
})
