import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { tenant, tenantFilter, times } from '@payments/platform'
import type { z } from 'zod'
import type { AdminOrganisation, ApiKey, Invitation } from './schemas.ts'

export const OrganisationEntity = defineEntity({
  name: 'Organisation',
  tableName: 'organisations',
  properties: {
    id: p.uuid().primary(),
    name: p.string(),
    operator: p.boolean(),
    suspendedAt: p.datetime(3).nullable(),
    suspensionReason: p.string().nullable(),
    ...times(),
  },
})

export const UserEntity = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: { id: p.uuid().primary(), email: p.string(), fullName: p.string().nullable(), createdAt: p.datetime(3) },
})

export const MembershipEntity = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  properties: {
    organisationId: p.uuid().primary(),
    userId: p.uuid().primary(),
    role: p.string().$type<'owner' | 'member' | 'operator'>(),
    createdAt: p.datetime(3),
  },
})

/** A code on its way to a mailbox: what it will do once it comes back, and how often it may still be tried. */
export const ChallengeEntity = defineEntity({
  name: 'Challenge',
  tableName: 'challenges',
  properties: {
    id: p.uuid().primary(),
    email: p.string(),
    organisationName: p.string().nullable(),
    fullName: p.string().nullable(),
    codeHash: p.string(),
    tries: p.integer(),
    expiresAt: p.datetime(3),
    usedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
  },
})

/** An email that may join an organisation by signing in before `expiresAt`. */
export const InvitationEntity = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  properties: {
    id: p.uuid().primary(),
    organisationId: p.uuid(),
    email: p.string(),
    role: p.string().$type<'owner' | 'member'>(),
    invitedBy: p.uuid().nullable(),
    expiresAt: p.datetime(3),
    acceptedAt: p.datetime(3).nullable(),
    ...times(),
  },
})

export const SessionEntity = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    organisationId: p.uuid(),
    expiresAt: p.datetime(3),
    revokedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
  },
})

export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    name: p.string(),
    type: p.string().$type<'secret' | 'publishable'>(),
    lookup: p.string(),
    digest: p.string(),
    masked: p.string(),
    scopes: p.array().$type<string[]>(),
    expiresAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime(3),
  },
})

export type OrganisationRow = InferEntity<typeof OrganisationEntity>
export type InvitationRow = InferEntity<typeof InvitationEntity>
export type ApiKeyRow = InferEntity<typeof ApiKeyEntity>

/** A key as the dashboard shows it: masked, with everything but its secret. */
export const presentKey = (row: ApiKeyRow): z.infer<typeof ApiKey> => ({
  id: row.id,
  name: row.name,
  environment: row.environment,
  type: row.type,
  scopes: row.scopes,
  maskedKey: row.masked,
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  expiresAt: row.expiresAt?.toISOString() ?? null,
  revokedAt: row.revokedAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
})

/** An invitation as the organisation's owner sees it. */
export const presentInvitation = (row: InvitationRow): z.input<typeof Invitation> => ({
  id: row.id,
  email: row.email,
  role: row.role,
  status: row.acceptedAt ? 'accepted' : row.expiresAt <= new Date() ? 'expired' : 'pending',
  expiresAt: row.expiresAt.toISOString(),
  createdAt: row.createdAt.toISOString(),
})

/** An organisation as operators see it. */
export const presentOrganisation = (row: OrganisationRow): z.input<typeof AdminOrganisation> => ({
  id: row.id,
  name: row.name,
  operator: row.operator,
  status: row.suspendedAt ? 'suspended' : 'active',
  suspendedAt: row.suspendedAt?.toISOString() ?? null,
  suspensionReason: row.suspensionReason ?? null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})
