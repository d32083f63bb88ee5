import { defineEntity, p } from '@mikro-orm/core'
import { index, inheritedTenant, instant, keyedBy, tenant } from '../domain/entity.ts'
import { providerStates } from '../operations/context/lookup.ts'

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
  ...keyedBy('organisation_id', 'environment', 'resource_id', 'provider', 'operation', 'outcome', 'error'),
  indexes: [index('provider_calls_by_time', ['lastAt'])],
})

/** What providers said about objects: see `provider-reports.ts`. */
const ProviderReportEntity = defineEntity({
  name: 'ProviderReport',
  tableName: 'provider_reports',
  properties: {
    id: p.uuid().primary(),
    ...inheritedTenant(),
    resourceType: p.text(),
    resourceId: p.uuid(),
    provider: p.text(),
    digest: p.text(),
    reason: p.text().nullable(),
    report: p.json(),
    amounts: p.json(),
    times: p.integer(),
    firstAt: p.datetime(3),
    lastAt: p.datetime(3),
    settledAt: p.datetime(3).nullable(),
  },
  ...keyedBy('organisation_id', 'environment', 'resource_id', 'digest'),
  indexes: [
    index(
      'provider_reports_contradicting',
      ['resourceId', 'firstAt desc'],
      'reason is not null and settled_at is null',
    ),
  ],
})

/** Limits of providers, with the calls of the last minute: see `provider-budgets.ts`. */
const ProviderBudgetEntity = defineEntity({
  name: 'ProviderBudget',
  tableName: 'provider_budgets',
  properties: {
    provider: p.text().primary(),
    bucket: p.text().primary(),
    environment: p.text().primary(),
    perMinute: p.integer().default(0),
    calls: p.json().default('[]'),
    pausedUntil: instant().nullable(),
    /** Of a bucket that time refills: the calls that may be made now. See `rate-budget.ts`. Null: `calls` has those of the last minute. */
    tokens: p.double().nullable(),
    refilledAt: instant().defaultRaw('now()'),
  },
})

/** What operators decided for providers: see `provider-controls.ts`. */
const ProviderControlEntity = defineEntity({
  name: 'ProviderControl',
  tableName: 'provider_controls',
  properties: {
    provider: p.text().primary(),
    environment: tenant().environment.primary(),
    state: p.enum(providerStates),
    priority: p.integer().nullable(),
  },
})

/** Who was asked to carry an object, and who carries it: see `provider-choices.ts`. */
export const ProviderChoiceEntity = defineEntity({
  name: 'ProviderChoice',
  tableName: 'provider_choices',
  properties: {
    resourceId: p.uuid().primary(),
    ...inheritedTenant(),
    provider: p.text(),
    because: p.text(),
    asked: p.json(),
    createdAt: p.datetime(3),
  },
  ...keyedBy('organisation_id', 'environment', 'resource_id'),
  indexes: [index('provider_choices_by_time', ['createdAt'])],
})

/** The last price of a pair of money that was accepted, and the last one that was refused since: see `prices.ts`. */
const ProviderPriceEntity = defineEntity({
  name: 'ProviderPrice',
  tableName: 'provider_prices',
  properties: {
    id: p.uuid(),
    environment: tenant().environment.primary(),
    pair: p.text().primary(),
    provider: p.text(),
    /** Units of what is got for one of what is given. */
    rate: p.decimal().columnType('numeric').nullable(),
    ratedAt: instant().nullable(),
    refusedRate: p.decimal().columnType('numeric').nullable(),
    refusedReason: p.text().nullable(),
    refusedAt: instant().nullable(),
    /** A rate outside of the band that may be a move of the market: as it was seen first, when, when it counted last, and how often. */
    moveRate: p.decimal().columnType('numeric').nullable(),
    moveSince: instant().nullable(),
    moveAt: instant().nullable(),
    moveSeen: p.integer().default(0),
  },
  indexes: [index('provider_prices_refused', ['id'], 'refused_at is not null')],
})

export const providerEntities = [
  ProviderPriceEntity,
  ProviderMinuteEntity,
  ProviderCallEntity,
  ProviderReportEntity,
  ProviderBudgetEntity,
  ProviderControlEntity,
  ProviderChoiceEntity,
]
