import { defineEntity, p } from '@mikro-orm/core'
import { index, inheritedTenant, instant, uniqueIndex } from './entity.ts'

/** Calls of providers by minute: see `provider-calls.ts`. */
const ProviderMinuteEntity = defineEntity({
  name: 'ProviderMinute',
  tableName: 'provider_minutes',
  properties: {
    provider: p.text().primary(),
    environment: p.text().primary(),
    operation: p.text().primary(),
    outcome: p.text().primary(),
    minute: instant().primary(),
    calls: p.integer(),
    milliseconds: p.bigint(),
  },
  indexes: [index('provider_minutes_by_time', ['minute'])],
})

/** How calls of providers for an object ended: see `provider-calls.ts`. */
const ProviderCallEntity = defineEntity({
  name: 'ProviderCall',
  tableName: 'provider_calls',
  properties: {
    id: p.uuid().primary(),
    ...inheritedTenant(),
    resourceId: p.uuid(),
    provider: p.text(),
    operation: p.text(),
    outcome: p.text(),
    error: p.text(),
    calls: p.integer(),
    firstAt: p.datetime(3),
    lastAt: p.datetime(3),
  },
  indexes: [
    uniqueIndex('provider_calls_key', 'provider_calls (resource_id, provider, operation, outcome, error)'),
    index('provider_calls_by_time', ['lastAt']),
  ],
})

export const providerEntities = [ProviderMinuteEntity, ProviderCallEntity]
