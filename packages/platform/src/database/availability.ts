import type { Log } from '../log.ts'
import { isDatabaseUnavailable } from './errors.ts'

/** Whether the database was available at this process's last attempt. Each change is logged once, not each failure. */
export interface DatabaseAvailability {
  readonly isDown: boolean
  /** True when the error means that the database is unavailable. Logs it if the database was available before. */
  report(error: unknown): boolean
  /** Records that a statement succeeded. */
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
