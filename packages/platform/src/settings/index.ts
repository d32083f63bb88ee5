/** Settings, secrets and the log. */

export { checkFingerprints, foreignSecrets, shownFingerprints } from './fingerprints.ts'
export { createLog, droppedLines, type Log } from './log.ts'
export { reEncrypt } from './re-encrypt.ts'
export * from './secrets.ts'
export * from './settings.ts'
export { TraceKind, traced } from './traces.ts'
