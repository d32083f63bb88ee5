/** The list of domains, and what is derived from it: the router, in-process callers and the composition of a process. */
export { domains } from './domains.ts'
export type { Executor, KeyedReply } from './execute.ts'
export { composeProcess, everyDomain, loadServiceSettings, type Process } from './process.ts'
export { type AppRouter, appRouter } from './router.ts'
