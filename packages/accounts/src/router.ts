import { errors as commonErrors } from '@payments/kernel'
import { command, query } from '@payments/platform'
import { z } from 'zod'
import { challenge, resend, tryCode } from './challenges.ts'
import { presentInvitation, presentKey } from './entity.ts'
import { errors } from './errors.ts'
import { invite, listInvitations } from './invitations.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'
import {
  ApiKey,
  ApiKeyList,
  Challenge,
  CreatedApiKey,
  Ended,
  Invitation,
  InvitationList,
  Login,
  Me,
  NewApiKey,
  NewInvitation,
  Refresh,
  Register,
  Resend,
  Switch,
  Tokens,
  Verify,
} from './schemas.ts'
import { catchReuse, logout, me, refresh, switchOrganisation } from './sessions.ts'
import { verify } from './signin.ts'

const Nothing = z.strictObject({})
const tag = 'Authentication'

export const authRouter = {
  register: command({
    rest: 'POST /auth/register',
    access: 'sign-in',
    tag,
    summary: 'Register an organisation',
    description: 'Mails a one-time code. Nothing is created before the code is verified.',
    message: 'Verification code sent',
    input: Register,
    output: Challenge,
    run: challenge,
  }),
  login: command({
    rest: 'POST /auth/login',
    access: 'sign-in',
    tag,
    summary: 'Ask for a one-time code',
    description: 'The answer is the same for an unknown email.',
    message: 'Verification code sent',
    input: Login,
    output: Challenge,
    run: challenge,
  }),
  resend: command({
    rest: 'POST /auth/otp/resend',
    access: 'sign-in',
    tag,
    summary: 'Ask for another code',
    description: 'The code before stops working. At most five codes an hour go to one email; the answer does not tell.',
    message: 'Verification code sent',
    input: Resend,
    output: Challenge,
    errors: [errors.challenge_not_found],
    run: resend,
  }),
  verify: command({
    rest: 'POST /auth/otp/verify',
    access: 'sign-in',
    tag,
    summary: 'Sign in with a one-time code',
    description: 'Joins the organisations that the email is invited to. Five tries for each challenge.',
    message: 'Signed in',
    input: Verify,
    output: Tokens,
    errors: [errors.invalid_code, errors.organisation_not_found],
    before: tryCode,
    run: verify,
  }),
  refresh: command({
    rest: 'POST /auth/refresh',
    access: 'sign-in',
    tag,
    summary: 'Exchange a refresh token for a new pair',
    description:
      'The old token is spent. A lost reply may be asked for again within 10 seconds; a spent token that comes later ends the session.',
    message: 'Session refreshed',
    input: Refresh,
    output: Tokens,
    errors: [commonErrors.invalid_token],
    before: catchReuse,
    run: refresh,
  }),
  logout: command({
    rest: 'POST /auth/logout',
    access: 'session-read',
    tag,
    summary: 'End the session',
    description: 'Its access tokens are refused at once.',
    message: 'Signed out',
    input: Nothing,
    output: Ended,
    run: logout,
  }),
  me: query({
    rest: 'GET /auth/me',
    access: 'session-read',
    tag,
    summary: 'The signed-in user',
    message: 'Session retrieved',
    input: Nothing,
    output: Me,
    run: me,
  }),
  organisation: command({
    rest: 'POST /auth/organisation',
    access: 'session-read',
    tag,
    summary: 'Move to another organisation of yours',
    description: 'Ends the present session and begins one there.',
    message: 'Organisation changed',
    input: Switch,
    output: Tokens,
    errors: [errors.organisation_not_found],
    run: switchOrganisation,
  }),
  invitations: query({
    rest: 'GET /auth/invitations',
    access: 'owner-read',
    tag,
    summary: 'List invitations',
    message: 'Invitations retrieved',
    input: Nothing,
    output: InvitationList,
    async run(context) {
      const { rows, total } = await listInvitations(context)
      return { invitations: rows.map(presentInvitation), total }
    },
  }),
  invite: command({
    rest: 'POST /auth/invitations',
    access: 'owner',
    tag,
    summary: 'Invite somebody by email',
    description: 'They join by verifying a sign-in code within 7 days. Inviting again renews it.',
    message: 'Invitation sent',
    status: 201,
    input: NewInvitation,
    output: Invitation,
    errors: [errors.already_member, errors.too_many_invitations],
    run: async (unit, input) => presentInvitation(await invite(unit, input)),
  }),
}

export const apiKeysRouter = {
  list: query({
    rest: 'GET /api-keys',
    access: 'session-read',
    tag: 'API keys',
    summary: 'List API keys',
    message: 'API keys retrieved',
    input: Nothing,
    output: ApiKeyList,
    async run(context) {
      const { rows, total } = await listKeys(context)
      return { apiKeys: rows.map(presentKey), total }
    },
  }),
  create: command({
    rest: 'POST /api-keys',
    access: 'session',
    tag: 'API keys',
    summary: 'Create an API key',
    description: "The full key is in this reply and cannot be retrieved later. Live keys are the owner's to make.",
    message: 'API key created',
    status: 201,
    input: NewApiKey,
    output: CreatedApiKey,
    errors: [commonErrors.owner_required],
    async run(unit, input) {
      const { row, key } = await createKey(unit, input)
      return { ...presentKey(row), key }
    },
  }),
  revoke: command({
    rest: 'DELETE /api-keys/{apiKeyId}',
    access: 'session',
    tag: 'API keys',
    summary: 'Revoke an API key',
    message: 'API key revoked',
    input: z.strictObject({ apiKeyId: z.string() }),
    output: ApiKey,
    errors: [errors.api_key_not_found, commonErrors.owner_required],
    run: async (unit, { apiKeyId }) => presentKey(await revokeKey(unit, apiKeyId)),
  }),
}
