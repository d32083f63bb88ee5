import type { Log } from '../log.ts'
import { isDatabaseUnavailable } from './errors.ts'

/** Whether the database can be used, as this process last saw it. Logged once for each change, not for each failure. */
export interface DatabaseAvailability {
  readonly isDown: boolean
  /** True when the error means that the database is unavailable; it is then logged here, unless it was known. */
  report(error: unknown): boolean
  /** A statement succeeded. */
  available(): void
}

export function databaseAvailability(log: Log): DatabaseAvailability {
  let down = false
  return {
    get isDown() {
      return down
    },
    report(error) {
      if (!isDatabaseUnavailable(error)) return false
      if (!down) log.error({ err: error }, 'database unavailable')
      down = true
      return true
    },
    available() {
      if (down) log.info('database available again')
      down = false
    },
  }
}
