import { auditTimeline } from './audit-log.ts'
import { domain } from './domain.ts'
import { encryptedReplies } from './idempotency.ts'
import { platformMigrations } from './migrations.ts'
import { readBudgets } from './provider-budgets.ts'
import { providerTimeline } from './provider-calls.ts'
import { choiceTimeline } from './provider-choices.ts'
import { contradictions, reportTimeline } from './provider-reports.ts'
import { platformPurge } from './purge.ts'
import { queueMetrics } from './queue-metrics.ts'
import { requestTimeline } from './request-timeline.ts'
import { secretKeys } from './secrets.ts'
import { platformSettings } from './settings.ts'
import { platformEntities } from './tables.ts'

/** The platform's own tables, settings and jobs, as one entry of the list of domains. */
export const platform = domain({
  name: 'platform',
  tags: [
    { name: 'Sandbox', description: 'Payments and time of the test environment', position: 140 },
    { name: 'Health', description: 'Whether the service answers', position: 150 },
  ],
  entities: platformEntities,
  migrations: platformMigrations,
  settings: platformSettings,
  jobs: [platformPurge],
  metrics: queueMetrics,
  timeline: { sources: [requestTimeline, auditTimeline, choiceTimeline, providerTimeline, reportTimeline] },
  operators: { attention: [contradictions], rateBudgets: readBudgets },
  counted: { audit_log: { scopes: ["''", 'organisation_id::text'], installation: true } },
  appendOnly: ['audit_log', 'record_counts'],
  encrypted: [encryptedReplies],
  lastingSecrets: (settings) =>
    secretKeys(platformSettings.from(settings).SECRETS_KEY).map(({ key }) => ({ setting: 'SECRETS_KEY', secret: key })),
})
