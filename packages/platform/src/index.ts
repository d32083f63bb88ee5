/** Infrastructure shared by all domains: settings, database, unit of work, operations, jobs, tasks, secrets, logging. No business rules. */
// Order, lowest first: settings, database, operations, work, domain, transactions, records, providers, migrations, installation.

export * from './database/index.ts'
export * from './domain/index.ts'
export * from './installation/index.ts'
export * from './operations/index.ts'
export * from './providers/index.ts'
export * from './records/index.ts'
export * from './settings/index.ts'
export * from './transactions/index.ts'
export * from './work/index.ts'
