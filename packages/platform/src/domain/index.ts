/** What a domain declares, and the platform's own entry of the list of domains. */

export * from './api.ts'
export * from './data.ts'
export * from './diagnosis.ts'
export * from './domain.ts'
export * from './entity.ts'
export { lifecycle, lifecycleName } from './lifecycle.ts'
export * from './money.ts'
export * from './resource.ts'
export * from './work.ts'
