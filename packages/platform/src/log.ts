import { pino } from 'pino'

/** What the service writes: one JSON object a line, without secrets. */
export type Log = Pick<ReturnType<typeof pino>, 'fatal' | 'error' | 'warn' | 'info' | 'debug'> & {
  child(bindings: object): Log
}

/** Fields that hold secrets wherever they appear. Bodies and headers are never logged; this is the second fence. */
const SECRET_PATHS = ['authorization', 'secret', 'key', 'bvn', 'refreshToken', 'accessToken', 'password'].flatMap(
  (name) => [`*.${name}`],
)

/** What is told of an error: never the objects that libraries hang on it, such as a connection with its keys. */
function told(error: Error): object {
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
    serializers: { err: told },
    redact: { paths: SECRET_PATHS, censor: '[secret]' },
  }
  return write ? pino(options, { write }) : pino(options)
}
