/** What a domain declares, and the platform's own entry of the list of domains. */

export * from './api.ts'
export * from './data.ts'
export * from './diagnosis.ts'
export * from './domain.ts'
export * from './money.ts'
export * from './operators.ts'
export { platform } from './platform.ts'
export * from './restore.ts'
export * from './work.ts'
