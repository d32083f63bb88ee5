import { domain } from './domain.ts'
import { platformMigrations } from './migrations.ts'
import { platformPurge } from './purge.ts'
import { platformSettings } from './settings.ts'
import { platformEntities } from './tables.ts'

/** The platform's own tables, settings and jobs, as one entry of the list of domains. */
export const platform = domain({
  name: 'platform',
  entities: platformEntities,
  migrations: platformMigrations,
  settings: platformSettings,
  jobs: [platformPurge],
})
