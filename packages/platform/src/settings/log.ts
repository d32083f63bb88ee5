import { pino } from 'pino'
import { traceIds } from './traces.ts'

/** The service's log: one JSON object per line, without secrets. */
export type Log = Pick<ReturnType<typeof pino>, 'fatal' | 'error' | 'warn' | 'info' | 'debug'> & {
  child(bindings: object): Log
}

/** Field names whose values are always redacted. Bodies and headers are never logged; this is a second safeguard. */
const SECRET_PATHS = ['authorization', 'secret', 'key', 'bvn', 'refreshToken', 'accessToken', 'password'].flatMap(
  (name) => [`*.${name}`],
)

/** The logged fields of an error, without the objects that libraries attach to it, such as a connection with its keys. */
function serialiseError(error: Error): object {
  const { type, message, stack, code, constraint } = pino.stdSerializers.err(error)
  return { type, message, stack, code, constraint }
}

/** How much of the log waits for a place that takes no more, such as a full disk; what comes then is dropped. */
const WAITING_BYTES = 1_000_000
let dropped = 0

/** Lines that this process has dropped because standard output took no more. */
export const droppedLines = (): number => dropped

/** Standard output, whose failure ends no process: what it does not take waits for the next line, and is dropped where it is too much. */
function standardOutput() {
  const output = pino.destination({ fd: 1, sync: true, maxLength: WAITING_BYTES })
  output.on('error', () => undefined)
  output.on('drop', () => {
    dropped++
  })
  return output
}

/** A logger to standard output (or to `write`, for tests). */
export function createLog(level: string, write?: (line: string) => void): Log {
  const options = {
    level,
    base: undefined,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: serialiseError },
    mixin: traceIds,
    redact: { paths: SECRET_PATHS, censor: '[secret]' },
  }
  return pino(options, write ? { write } : standardOutput())
}
