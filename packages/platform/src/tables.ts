import { defineEntity, p } from '@mikro-orm/core'
import { index, inheritedTenant, instant } from './entity.ts'
import { faultModes } from './sandbox-faults.ts'

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
    expiresAt: instant(),
  },
  indexes: [index('idempotency_keys_expiry', ['expiresAt'])],
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

export const platformEntities = [IdempotencyKeyEntity, RateLimitEntity, SettingFingerprintEntity, SandboxFaultEntity]
