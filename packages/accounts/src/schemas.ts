import { environments } from '@payments/kernel'
import { z } from 'zod'

const Email = z.email('Must be an e-mail address').max(254).meta({ example: 'ada@example.com' })
const Time = z.iso.datetime()

export const Register = z.strictObject({
  email: Email,
  organisationName: z.string().trim().min(1).max(120),
  fullName: z.string().trim().min(1).max(120).optional(),
})
export const Login = z.strictObject({ email: Email })
export const Challenge = z.object({ challengeId: z.uuid(), otpExpiresAt: Time }).meta({ id: 'Challenge' })

export const Verify = z.strictObject({
  challengeId: z.string().max(64),
  code: z.string().regex(/^\d{6}$/, 'Must be 6 digits'),
  organisationId: z.uuid().optional(),
})
export const User = z.object({ id: z.uuid(), email: z.string(), fullName: z.string().nullable() }).meta({ id: 'User' })
export const Organisation = z
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

export const NewApiKey = z.strictObject({
  name: z.string().trim().min(1).max(80),
  environment: z.enum(environments),
  type: z.enum(['secret', 'publishable']).default('secret'),
  access: z.enum(['read', 'write', 'read_write']).optional(),
  expiresAt: z.iso.datetime().optional(),
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
