import type { Log } from '../../settings/log.ts'
import { isDatabaseUnavailable } from '../errors.ts'

/**
 * Keeps the process running when a connection that nothing listens to any more reports that it is lost. Libraries give up a
 * connection before the server has closed it: pg-boss removes its listeners from one that failed to listen and then ends it, and what
 * the server says meanwhile ("terminating connection …") is an `error` event without a listener, which ends a process. Nothing
 * depends on such a connection: its statements have failed, and who used it connects again. Any other error that nothing
 * handles ends the process, as it would without this.
 */
export function surviveLostConnections(log: Log): void {
  process.on('uncaughtException', (error, origin) => {
    if (origin !== 'uncaughtException' || !isDatabaseUnavailable(error)) throw error
    log.warn({ err: error }, 'connection lost that was given up before')
  })
}
