import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** What is kept between two commands, for one service. */
export interface State {
  readonly session?: {
    readonly email: string
    readonly accessToken: string
    /** ISO 8601 */
    readonly expiresAt: string
    readonly refreshToken: string
  }
  /** A code that was requested and not typed yet. */
  readonly challenge?: { readonly email: string; readonly challengeId: string }
}

/** The state of one service, in a file that only this user can read. */
export interface StateFile {
  readonly path: string
  read(): State
  /** Replaces the file as a whole: a command that is interrupted leaves the old one. Nothing to keep: removes it. */
  write(state: State): void
}

/**
 * The file of the service at `base`: each service has its own, so that no token is sent to another one. It is in XDG_STATE_HOME,
 * or in `~/.local/state`.
 */
export function stateFile(base: string, env: Readonly<Record<string, string | undefined>>): StateFile {
  const { XDG_STATE_HOME, HOME } = env
  const home =
    XDG_STATE_HOME && isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : join(HOME || homedir(), '.local', 'state')
  const folder = join(home, 'payments-ops')
  const path = join(folder, `${encodeURIComponent(base)}.json`)
  return {
    path,
    read() {
      try {
        return JSON.parse(readFileSync(path, 'utf8')) as State
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return {}
        throw error
      }
    },
    write(state) {
      if (!state.session && !state.challenge) return rmSync(path, { force: true })
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const next = `${path}.${randomUUID()}`
      writeFileSync(next, `${JSON.stringify(state)}\n`, { mode: 0o600, flag: 'wx' })
      renameSync(next, path)
    },
  }
}
