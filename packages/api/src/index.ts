/** The list of domains, and the router, in-process callers and process composition that are derived from it. */
export { domains } from './domains.ts'
export type { Executed, Executor } from './execute.ts'
export { composeProcess, everyDomain, loadServiceSettings, type Process, settingNames } from './process.ts'
export { type AppRouter, appRouter } from './router.ts'
