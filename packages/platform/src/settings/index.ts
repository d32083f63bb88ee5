/** Settings, secrets and the log. */

export { createLog, droppedLines, type Log } from './log.ts'
export * from './secrets.ts'
export * from './settings.ts'
export { TraceKind, traced } from './traces.ts'
