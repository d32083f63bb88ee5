import { cellText } from '@payments/kernel'
import { domain } from '../domain/domain.ts'
import { platformMigrations } from '../migrations.ts'
import { encryptedReplies } from '../operations/idempotency.ts'
import { providerTimeline } from '../providers/calls.ts'
import { choiceTimeline } from '../providers/choices.ts'
import { readBudgets } from '../providers/polling/budgets.ts'
import { refusedPrices } from '../providers/prices.ts'
import { contradictions, reportTimeline } from '../providers/reports.ts'
import { auditTimeline } from '../records/audit-log.ts'
import { partitions } from '../records/partitions/job.ts'
import { countedRequests, partitionedRequests } from '../records/request-log/entity.ts'
import { eraseRequests } from '../records/request-log/read.ts'
import { requestTimeline } from '../records/request-log/timeline.ts'
import { restore } from '../records/restores.ts'
import { secretKeys } from '../settings/secrets.ts'
import { platformSettings } from '../settings/settings.ts'
import { platformPurge } from '../work/purge.ts'
import { queueMetrics } from '../work/queue-metrics.ts'
import { platformEntities } from './entities.ts'
import { platformMoves } from './moves/declaration.ts'

/** The platform's own tables, settings and jobs, as one entry of the list of domains. */
export const platform = domain({
  name: 'platform',
  settings: platformSettings,
  api: {
    tags: [
      { name: 'Sandbox', description: 'Payments and time of the test environment', position: 140 },
      { name: 'Health', description: 'Whether the service answers', position: 150 },
    ],
  },
  data: {
    entities: platformEntities,
    migrations: platformMigrations,
    counted: {
      audit_log: { scopes: ["''", 'organisation_id::text'], installation: true },
      request_log: countedRequests,
    },
    partitioned: [partitionedRequests],
    appendOnly: ['audit_log', 'record_counts'],
    anonymise: eraseRequests,
    encrypted: [encryptedReplies],
    lastingSecrets(settings) {
      const { SECRETS_KEY, CELL } = platformSettings.from(settings)
      return [
        ...secretKeys(SECRETS_KEY).map(({ key }) => ({ setting: 'SECRETS_KEY', secret: key })),
        // No secret, and lasting: everything that is stored names it.
        { setting: 'CELL', secret: cellText(CELL) },
      ]
    },
    moves: platformMoves,
    restore,
    timeline: { sources: [requestTimeline, auditTimeline, choiceTimeline, providerTimeline, reportTimeline] },
  },
  work: { jobs: [platformPurge, partitions] },
  operators: { attention: [contradictions, refusedPrices], rateBudgets: readBudgets, metrics: queueMetrics },
})
