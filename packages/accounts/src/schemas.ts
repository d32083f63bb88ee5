import { environments, nameText } from '@payments/kernel'
import { z } from 'zod'

const Email = z.email('Must be an email address').max(254).meta({ example: 'ada@example.com' })
const Time = z.iso.datetime()

export const Register = z.strictObject({
  email: Email,
  organisationName: nameText(120),
  fullName: nameText(120).optional(),
})
export const Login = z.strictObject({ email: Email })
export const Challenge = z.object({ challengeId: z.uuid(), otpExpiresAt: Time }).meta({ id: 'Challenge' })

export const Resend = z.strictObject({ challengeId: z.string().max(64) })

export const Verify = z.strictObject({
  challengeId: z.string().max(64),
  code: z.string().regex(/^\d{6}$/, 'Must be 6 digits'),
  organisationId: z.uuid().optional(),
})
const User = z.object({ id: z.uuid(), email: z.string(), fullName: z.string().nullable() }).meta({ id: 'User' })
const Organisation = z
  .object({ id: z.uuid(), name: z.string(), role: z.enum(['owner', 'member', 'operator']) })
  .meta({ id: 'Organisation' })
export const Tokens = z
  .object({
    accessToken: z.string(),
    tokenType: z.literal('Bearer'),
    expiresIn: z.number().int(),
    refreshToken: z.string(),
    user: User,
    organisation: Organisation,
  })
  .meta({ id: 'Tokens' })
export const Me = z
  .object({
    user: User,
    organisation: Organisation,
    organisations: z.array(Organisation),
    environment: z.enum(environments),
  })
  .meta({ id: 'Me' })

export const Refresh = z.strictObject({ refreshToken: z.string().min(1).max(128) })
export const Switch = z.strictObject({ organisationId: z.uuid() })
export const Ended = z.object({ sessionId: z.uuid(), endedAt: Time }).meta({ id: 'EndedSession' })

export const NewInvitation = z.strictObject({ email: Email, role: z.enum(['owner', 'member']) })
export const Invitation = z
  .object({
    id: z.uuid(),
    email: z.string(),
    role: z.enum(['owner', 'member']),
    status: z.enum(['pending', 'accepted', 'expired']),
    expiresAt: Time,
    createdAt: Time,
  })
  .meta({ id: 'Invitation' })
export const InvitationList = z.object({ invitations: z.array(Invitation), total: z.number().int() })

export const OrganisationId = z.strictObject({ organisationId: z.string() })
export const Suspension = OrganisationId.extend({ reason: z.string().trim().min(1).max(500).optional() })
export const AdminOrganisation = z
  .object({
    id: z.uuid(),
    name: z.string(),
    operator: z.boolean().meta({ description: "The operators' own organisation" }),
    status: z.enum(['active', 'suspended']),
    suspendedAt: Time.nullable(),
    suspensionReason: z.string().nullable(),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'AdminOrganisation' })
export const OrganisationDetails = AdminOrganisation.extend({
  members: z.array(z.object({ userId: z.uuid(), email: z.string(), role: z.enum(['owner', 'member', 'operator']) })),
}).meta({ id: 'OrganisationDetails' })
export const OrganisationList = z.object({ organisations: z.array(AdminOrganisation), total: z.number().int() })

export const NewApiKey = z
  .strictObject({
    name: nameText(80),
    environment: z.enum(environments),
    type: z.enum(['secret', 'publishable']).default('secret'),
    access: z.enum(['read', 'write', 'read_write']).optional().meta({ description: 'Default `read_write`' }),
    expiresAt: Time.refine((text) => Date.parse(text) > Date.now(), 'Must be in the future').optional(),
  })
  .refine(({ type, access }) => type === 'secret' || access === undefined || access === 'read', {
    path: ['access'],
    message: 'A publishable key can only read',
  })
export const ApiKey = z
  .object({
    id: z.uuid(),
    name: z.string(),
    environment: z.enum(environments),
    type: z.enum(['secret', 'publishable']),
    scopes: z.array(z.string()),
    maskedKey: z.string().meta({ example: 'svc_test_…abcd' }),
    lastUsedAt: Time.nullable(),
    expiresAt: Time.nullable(),
    revokedAt: Time.nullable(),
    createdAt: Time,
  })
  .meta({ id: 'ApiKey' })
export const CreatedApiKey = ApiKey.extend({ key: z.string().meta({ description: 'Shown once' }) }).meta({
  id: 'CreatedApiKey',
})
export const ApiKeyList = z.object({ apiKeys: z.array(ApiKey), total: z.number().int() })
