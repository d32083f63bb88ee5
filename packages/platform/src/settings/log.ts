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
  return write ? pino(options, { write }) : pino(options)
}
