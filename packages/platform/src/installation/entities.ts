import { defineEntity, p } from '@mikro-orm/core'
import { index, inheritedTenant, instant, minorUnits } from '../domain/entity.ts'
import { providerEntities } from '../providers/entities.ts'
import { faultModes } from '../providers/sandbox-faults.ts'
import { AuditEntryEntity } from '../records/audit-log.ts'
import { RecordCountEntity } from '../records/counts.ts'
import { RequestLogEntity } from '../records/request-log/entity.ts'
import { restoreEntities } from '../records/restores.ts'
import { moveEntities } from './moves/entities.ts'

/** A request that was answered, or is being answered: see `idempotency.ts`. */
const IdempotencyKeyEntity = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  properties: {
    organisationId: inheritedTenant().organisationId.primary(),
    environment: inheritedTenant().environment.primary(),
    method: p.text().primary(),
    path: p.text().primary(),
    key: p.text().primary(),
    fence: p.uuid(),
    status: p.smallint().nullable(),
    reply: p.text().nullable(),
    encrypted: p.boolean().default(false),
    resourceId: p.uuid().nullable(),
    expiresAt: instant(),
  },
  indexes: [index('idempotency_keys_expiry', ['expiresAt'])],
})

/** What an operator alone has moved of an asset on a UTC day: see `second-operator.ts`. */
const OperatorAmountEntity = defineEntity({
  name: 'OperatorAmount',
  tableName: 'operator_amounts',
  properties: {
    operatorId: p.uuid().primary(),
    asset: p.text().primary(),
    day: p.date().primary(),
    amount: minorUnits(),
  },
})

/** A window of a rate limit: see `rate-limits.ts`. */
const RateLimitEntity = defineEntity({
  name: 'RateLimit',
  tableName: 'rate_limits',
  properties: {
    bucket: p.text().primary(),
    subject: p.text().primary(),
    count: p.integer(),
    endsAt: instant(),
  },
  indexes: [index('rate_limits_expiry', ['endsAt'])],
})

/** The last probe of each process: see `database/readiness.ts`. */
const ReadinessProbeEntity = defineEntity({
  name: 'ReadinessProbe',
  tableName: 'readiness_probes',
  properties: { id: p.uuid().primary(), filler: p.text(), at: instant() },
})

/** A table whose rows the service's role never updates or deletes: see `database/migrate.ts`. */
const AppendOnlyTableEntity = defineEntity({
  name: 'AppendOnlyTable',
  tableName: 'append_only_tables',
  properties: { name: p.text().primary() },
})

/** A fingerprint of a secret of the settings that the data depends on: see `fingerprints.ts`. */
const SettingFingerprintEntity = defineEntity({
  name: 'SettingFingerprint',
  tableName: 'setting_fingerprints',
  properties: { setting: p.text().primary(), digest: p.text().primary(), createdAt: instant() },
})

/** An outage that operators simulate: see `sandbox-faults.ts`. */
const SandboxFaultEntity = defineEntity({
  name: 'SandboxFault',
  tableName: 'sandbox_faults',
  properties: {
    provider: p.text().primary(),
    mode: p.enum(faultModes),
    endsAt: instant(),
  },
})

export const platformEntities = [
  AuditEntryEntity,
  RecordCountEntity,
  ...providerEntities,
  RequestLogEntity,
  IdempotencyKeyEntity,
  RateLimitEntity,
  OperatorAmountEntity,
  ReadinessProbeEntity,
  AppendOnlyTableEntity,
  SettingFingerprintEntity,
  SandboxFaultEntity,
  ...restoreEntities,
  ...moveEntities,
]
