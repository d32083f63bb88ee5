import { environments, nameText } from '@payments/kernel'
import { z } from 'zod'
import { isAddressRange } from './allowed-ips.ts'

const Email = z.email('Must be an email address').max(254).meta({ example: 'ada@example.com' })
const Time = z.iso.datetime()

export const Register = z.strictObject({
  email: Email,
  organisationName: nameText(120)
    .refine((text) => !/:\/\//.test(text), 'Must not contain a link')
    .meta({ example: 'Ada Ltd' }),
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

const Code = z
  .string()
  .regex(/^\d{6}$/, 'Must be 6 digits')
  .meta({ example: '123456' })
export const Confirm = z.strictObject({
  code: Code.optional().meta({
    description: 'The emailed code; without it, a fresh one is emailed',
    example: '123456',
  }),
})
export const Confirmation = z
  .object({
    confirmedUntil: Time.nullable().meta({ description: 'Null while the code is missing' }),
    otpExpiresAt: Time.nullable().meta({
      description: 'When the emailed code expires; null once the session is confirmed',
    }),
  })
  .meta({ id: 'Confirmation' })
export const ChangeEmail = z
  .strictObject({
    email: Email,
    currentCode: Code.optional().meta({ description: 'The code sent to the present address', example: '123456' }),
    newCode: Code.optional().meta({ description: 'The code sent to the new address', example: '123456' }),
  })
  .superRefine(({ currentCode, newCode }, context) => {
    const missing = currentCode === undefined ? 'currentCode' : 'newCode'
    if ((currentCode === undefined) !== (newCode === undefined))
      context.addIssue({ code: 'custom', path: [missing], message: 'Both codes are needed' })
  })
export const EmailChange = z
  .object({
    email: z.string().meta({ description: "The user's address now" }),
    otpExpiresAt: Time.nullable().meta({ description: 'When the two codes expire; null once the address has changed' }),
  })
  .meta({ id: 'EmailChange' })

export const MemberRole = z.enum(['owner', 'member'])
export const Member = z
  .object({
    userId: z.uuid(),
    email: z.string(),
    fullName: z.string().nullable(),
    role: z.enum(['owner', 'member', 'operator']),
    createdAt: Time.meta({ description: 'When the user joined' }),
  })
  .meta({ id: 'Member' })
export const MemberList = z.object({ members: z.array(Member), total: z.number().int() })
export const MemberId = z.strictObject({ userId: z.string() })
export const MemberPatch = MemberId.extend({ role: MemberRole })

export const SessionId = z.strictObject({ sessionId: z.string() })
const Session = z
  .object({
    id: z.uuid(),
    organisationId: z.uuid(),
    current: z.boolean().meta({ description: 'The session of this request' }),
    device: z.string().nullable().meta({ description: 'The browser or program, as it names itself' }),
    address: z.string().nullable().meta({ description: 'The client address of the last sign-in or refresh' }),
    lastUsedAt: Time.nullable(),
    expiresAt: Time,
    createdAt: Time,
  })
  .meta({ id: 'Session' })
export const SessionList = z.object({ sessions: z.array(Session), total: z.number().int() })
export const EndedOthers = z
  .object({ ended: z.number().int().meta({ description: 'Number of sessions that were ended' }) })
  .meta({ id: 'EndedSessions' })

export const Refresh = z.strictObject({ refreshToken: z.string().min(1).max(128) })
export const Switch = z.strictObject({ organisationId: z.uuid() })
export const EndedSession = z.object({ sessionId: z.uuid(), endedAt: Time }).meta({ id: 'EndedSession' })

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
    liveEnabled: z
      .boolean()
      .meta({ description: 'An operator has enabled live access; matters where LIVE_ACCESS is `approved`' }),
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
    name: z.string().trim().min(1).max(80),
    environment: z.enum(environments),
    type: z.enum(['secret', 'publishable']).default('secret'),
    access: z.enum(['read', 'write', 'read_write']).optional().meta({ description: 'Default `read_write`' }),
    expiresAt: Time.refine((text) => Date.parse(text) > Date.now(), 'Must be in the future').nullish(),
    allowedIps: z
      .array(z.string().refine(isAddressRange, 'Must be an IP address or a CIDR range'))
      .min(1, 'Must name at least one address; leave it out to allow all')
      .max(50, 'Must name at most 50 addresses')
      .nullish()
      .meta({ description: 'IP addresses and CIDR ranges from which the key may be used', example: ['192.0.2.0/24'] }),
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
    access: z
      .enum(['read', 'write', 'read_write'])
      .nullable()
      .meta({ description: 'What the scopes allow; null: nothing' }),
    allowedIps: z.array(z.string()).nullable().meta({ description: 'Null: every address' }),
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
export const ApiKeyId = z.strictObject({ apiKeyId: z.string() })
export const ApiKeyList = z.object({ apiKeys: z.array(ApiKey), total: z.number().int() })
