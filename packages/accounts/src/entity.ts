import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { memberRoles } from '@payments/kernel'
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
import { accessOf } from './rules/scopes.ts'
import type { AdminOrganisation, ApiKey, InternalToken, Invitation } from './schemas.ts'

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
    liveEnabledAt: p.datetime(3).nullable(),
    suspendedAt: p.datetime(3).nullable(),
    suspensionReason: p.text().nullable(),
    /** The number of the cell that it has moved to: what is here of it, is there. */
    movedTo: p.integer().nullable(),
    /** In which its days begin and end: an IANA name. */
    timeZone: p.text().default('UTC'),
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
    role: p.enum([...memberRoles, 'operator']),
    /** Whose invitation the user accepted. */
    invitedBy: p.uuid().nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [index('memberships_of_user', ['userId'])],
  ...foreignKeys(ofOrganisation, ofUser('user_id'), ofUser('invited_by')),
})

/** What a code is for. Only a sign-in needs no session. */
export const PURPOSES = ['sign-in', 'confirm', 'email-current', 'email-new'] as const

/** A code on its way to a mailbox: what it will do once it comes back, and how often it may still be tried. */
export const ChallengeEntity = defineEntity({
  name: 'Challenge',
  tableName: 'challenges',
  properties: {
    id: p.uuid().primary(),
    purpose: p.enum(PURPOSES).default('sign-in'),
    sessionId: p.uuid().nullable(),
    email: p.text(),
    organisationName: p.text().nullable(),
    fullName: p.text().nullable(),
    timeZone: p.text().nullable(),
    codeHash: p.text(),
    tries: p.integer().check('tries between 0 and 5'),
    expiresAt: p.datetime(3),
    usedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
  },
  checks: [{ name: 'challenges_session_check', expression: "(purpose = 'sign-in') = (session_id is null)" }],
  indexes: [
    index('challenges_by_time', ['createdAt']),
    index('challenges_of_session', ['sessionId', 'createdAt'], 'session_id is not null'),
  ],
})

/**
 * An email that was sent to an address of the caller's choice: what the limits of emails count. For a code that is not
 * delivered, because the address is unknown, the row exists as well, so that the limits do not reveal which are known.
 */
export const EmailSendEntity = defineEntity({
  name: 'EmailSend',
  tableName: 'email_sends',
  properties: {
    email: p.text().primary(),
    sentAt: p.datetime(3).primary(),
    kind: p.enum(['code', 'invitation', 'confirm']).default('code'),
    address: p.text().default(''),
    reserved: p.boolean().default(false),
    organisationId: p.uuid().nullable(),
  },
  indexes: [
    index('email_sends_by_email', ['email', 'sentAt']),
    index('email_sends_by_time', ['sentAt']),
    index('email_sends_of_organisation', ['organisationId', 'sentAt'], 'organisation_id is not null'),
  ],
  ...withoutPrimaryKey,
})

/** A code that was tried, by its time: what slows guessing down and raises the alarm. Kept for a day. */
export const CodeTryEntity = defineEntity({
  name: 'CodeTry',
  tableName: 'code_tries',
  properties: {
    id: p.uuid().primary(),
    email: p.text(),
    place: p.text(),
    wrong: p.boolean(),
    warned: p.boolean(),
    triedAt: p.datetime(3),
  },
  indexes: [index('code_tries_by_email', ['email', 'triedAt']), index('code_tries_by_time', ['triedAt'])],
})

/** A client address from which a user signed in. Part of the limit of codes is reserved for them. */
export const SignInAddressEntity = defineEntity({
  name: 'SignInAddress',
  tableName: 'sign_in_addresses',
  properties: { userId: p.uuid().primary(), address: p.text().primary(), signedInAt: p.datetime(3) },
  indexes: [index('sign_in_addresses_by_time', ['signedInAt'])],
  ...foreignKeys(ofUser('user_id')),
})

/** An email address that may join an organisation until `expiresAt`, as long as its inviter may invite. */
export const InvitationEntity = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  properties: {
    id: p.uuid().primary(),
    organisationId: p.uuid(),
    email: email(),
    role: p.enum([...memberRoles]),
    invitedBy: p.uuid().nullable(),
    expiresAt: p.datetime(3),
    acceptedAt: p.datetime(3).nullable(),
    declinedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
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
    confirmedAt: p.datetime(3).nullable(),
    address: p.text().nullable(),
    device: p.text().nullable(),
    lastUsedAt: p.datetime(3).nullable(),
  },
  indexes: [
    index('sessions_of_user', ['userId', 'createdAt desc']),
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
    allowedIps: p.array().$type<string[]>().nullable(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'api_keys_lookup_key', properties: ['lookup'] }],
  indexes: [index('api_keys_of_organisation', ['organisationId', 'createdAt desc'])],
  ...foreignKeys(ofOrganisation),
})

/** A token with which an internal tool calls listed procedures over tRPC, while its creator is an operator. */
export const InternalTokenEntity = defineEntity({
  name: 'InternalToken',
  tableName: 'internal_tokens',
  properties: {
    id: p.uuid().primary(),
    organisationId: p.uuid(),
    name: p.text(),
    lookup: p.text(),
    digest: p.text(),
    masked: p.text(),
    procedures: p.array().$type<string[]>(),
    expiresAt: p.datetime(3),
    revokedAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    createdBy: p.uuid(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'internal_tokens_lookup_key', properties: ['lookup'] }],
  ...foreignKeys(ofOrganisation, ofUser('created_by')),
})

/** A program without a browser that waits for a key (RFC 8628), until a user answers for one of their organisations. */
export const DeviceRequestEntity = defineEntity({
  name: 'DeviceRequest',
  tableName: 'device_requests',
  properties: {
    id: p.uuid().primary(),
    /** Of the device code. */
    digest: p.text(),
    userCode: p.text(),
    clientName: p.text(),
    address: p.text().nullable(),
    intervalSeconds: p.integer(),
    polledAt: p.datetime(3).nullable(),
    organisationId: p.uuid().nullable(),
    environment: p.enum(['test', 'live']).nullable(),
    access: p.enum(['read', 'read_write']).nullable(),
    answeredBy: p.uuid().nullable(),
    approvedAt: p.datetime(3).nullable(),
    deniedAt: p.datetime(3).nullable(),
    redeemedAt: p.datetime(3).nullable(),
    expiresAt: p.datetime(3),
    createdAt: p.datetime(3),
  },
  uniques: [
    { name: 'device_requests_digest_key', properties: ['digest'] },
    { name: 'device_requests_user_code_key', properties: ['userCode'] },
  ],
  checks: [
    {
      name: 'device_requests_answer_check',
      expression:
        'num_nonnulls(approved_at, denied_at) <= 1 and (approved_at is null) = (organisation_id is null) and num_nonnulls(organisation_id, environment, access) in (0, 3)',
    },
    { name: 'device_requests_redeemed_check', expression: 'redeemed_at is null or approved_at is not null' },
  ],
  indexes: [index('device_requests_by_time', ['createdAt'])],
  ...foreignKeys(ofOrganisation, ofUser('answered_by')),
})

export type OrganisationRow = InferEntity<typeof OrganisationEntity>
export type InvitationRow = InferEntity<typeof InvitationEntity>
export type InternalTokenRow = InferEntity<typeof InternalTokenEntity>
export type ApiKeyRow = InferEntity<typeof ApiKeyEntity>

/** A key as the dashboard shows it: masked, with everything but its secret. */
export const presentKey = (row: ApiKeyRow): z.infer<typeof ApiKey> => ({
  id: row.id,
  name: row.name,
  environment: row.environment,
  type: row.type,
  scopes: row.scopes,
  access: accessOf(row.type, row.scopes),
  allowedIps: row.allowedIps ?? null,
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
  status: statusOf(row),
  expiresAt: row.expiresAt.toISOString(),
  createdAt: row.createdAt.toISOString(),
})

function statusOf({ acceptedAt, declinedAt, revokedAt, expiresAt }: InvitationRow) {
  if (acceptedAt) return 'accepted'
  if (declinedAt) return 'declined'
  if (revokedAt) return 'revoked'
  return expiresAt <= new Date() ? 'expired' : 'pending'
}

/** An organisation as operators see it. */
export const presentOrganisation = (row: OrganisationRow): z.input<typeof AdminOrganisation> => ({
  id: row.id,
  name: row.name,
  operator: row.operator,
  liveEnabled: row.liveEnabledAt != null,
  status: row.suspendedAt ? 'suspended' : 'active',
  suspendedAt: row.suspendedAt?.toISOString() ?? null,
  suspensionReason: row.suspensionReason ?? null,
  movedTo: row.movedTo ?? null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

/** An internal token as operators see it: masked. */
export const presentToken = (row: InternalTokenRow): z.input<typeof InternalToken> => ({
  id: row.id,
  name: row.name,
  procedures: row.procedures,
  maskedToken: row.masked,
  createdBy: row.createdBy,
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  expiresAt: row.expiresAt.toISOString(),
  revokedAt: row.revokedAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
})
