import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import {
  type ForeignKey,
  foreignKeys,
  index,
  ofOrganisation,
  tenant,
  tenantFilter,
  times,
  uniqueIndex,
  withoutPrimaryKey,
} from '@payments/platform'
import type { z } from 'zod'
import type { AdminOrganisation, ApiKey, Invitation } from './schemas.ts'

/** Emails are stored in lower case, so that equality finds them. */
const email = () => p.text().check('email = lower(email)')

const ofUser = (column: string): ForeignKey => ({ columns: [column], table: 'users', referenced: ['id'] })

export const OrganisationEntity = defineEntity({
  name: 'Organisation',
  tableName: 'organisations',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    operator: p.boolean().default(false),
    suspendedAt: p.datetime(3).nullable(),
    suspensionReason: p.text().nullable(),
    ...times(),
  },
  indexes: [uniqueIndex('organisations_one_operator', 'organisations (operator) where operator')],
})

export const UserEntity = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.uuid().primary(),
    email: email(),
    fullName: p.text().nullable(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'users_email_key', properties: ['email'] }],
})

export const MembershipEntity = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  properties: {
    organisationId: p.uuid().primary(),
    userId: p.uuid().primary(),
    role: p.enum(['owner', 'member', 'operator']),
    createdAt: p.datetime(3),
  },
  indexes: [index('memberships_of_user', ['userId'])],
  ...foreignKeys(ofOrganisation, ofUser('user_id')),
})

/** A code on its way to a mailbox: what it will do once it comes back, and how often it may still be tried. */
export const ChallengeEntity = defineEntity({
  name: 'Challenge',
  tableName: 'challenges',
  properties: {
    id: p.uuid().primary(),
    email: p.text(),
    organisationName: p.text().nullable(),
    fullName: p.text().nullable(),
    codeHash: p.text(),
    tries: p.integer().check('tries between 0 and 5'),
    expiresAt: p.datetime(3),
    usedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [index('challenges_by_time', ['createdAt'])],
})

/** A code of the last hour, sent or not: what the limit of codes for one email counts. */
export const CodeSendEntity = defineEntity({
  name: 'CodeSend',
  tableName: 'code_sends',
  properties: { email: p.text().primary(), sentAt: p.datetime(3).primary() },
  indexes: [index('code_sends_by_email', ['email', 'sentAt']), index('code_sends_by_time', ['sentAt'])],
  ...withoutPrimaryKey,
})

/** An email that may join an organisation by signing in before `expiresAt`. */
export const InvitationEntity = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  properties: {
    id: p.uuid().primary(),
    organisationId: p.uuid(),
    email: email(),
    role: p.enum(['owner', 'member']),
    invitedBy: p.uuid().nullable(),
    expiresAt: p.datetime(3),
    acceptedAt: p.datetime(3).nullable(),
    ...times(),
  },
  uniques: [{ name: 'invitations_email_key', properties: ['organisationId', 'email'] }],
  indexes: [index('invitations_of_email', ['email'])],
  ...foreignKeys(ofOrganisation, ofUser('invited_by')),
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
  indexes: [
    { name: 'sessions_expiry', expression: 'create index sessions_expiry on sessions (least(expires_at, revoked_at))' },
  ],
  ...foreignKeys({
    columns: ['organisation_id', 'user_id'],
    table: 'memberships',
    referenced: ['organisation_id', 'user_id'],
  }),
})

/** A refresh token that a session has or had. A spent one has a successor, encrypted. */
export const RefreshTokenEntity = defineEntity({
  name: 'RefreshToken',
  tableName: 'refresh_tokens',
  properties: {
    digest: p.text().primary(),
    sessionId: p.uuid(),
    spentAt: p.datetime(3).nullable(),
    successor: p.text().nullable(),
    createdAt: p.datetime(3),
  },
  checks: [{ name: 'refresh_tokens_check', expression: '(spent_at is null) = (successor is null)' }],
  indexes: [index('refresh_tokens_of_session', ['sessionId'])],
  ...foreignKeys({ columns: ['session_id'], table: 'sessions', referenced: ['id'], onDelete: 'cascade' }),
})

export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    name: p.text(),
    type: p.enum(['secret', 'publishable']),
    lookup: p.text(),
    digest: p.text(),
    masked: p.text(),
    scopes: p.array().$type<string[]>(),
    expiresAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'api_keys_lookup_key', properties: ['lookup'] }],
  indexes: [index('api_keys_of_organisation', ['organisationId', 'createdAt desc'])],
  ...foreignKeys(ofOrganisation),
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
