import { errors as commonErrors } from '@payments/kernel'
import { command, query } from '@payments/platform'
import { z } from 'zod'
import { challenge, checkCode, resend } from './challenges.ts'
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
import { logout, me, refresh, revokeOnReuse, switchOrganisation } from './sessions.ts'
import { verify } from './signin.ts'

const Nothing = z.strictObject({})
const tag = 'Authentication'

export const authRouter = {
  register: command({
    rest: 'POST /auth/register',
    access: 'sign-in',
    tag,
    summary: 'Register an organisation',
    description: 'Emails a one-time code. Nothing is created before the code is verified.',
    message: 'Verification code sent',
    input: Register,
    output: Challenge,
    run: challenge,
  }),
  login: command({
    rest: 'POST /auth/login',
    access: 'sign-in',
    tag,
    summary: 'Request a one-time code',
    description: 'Emails the code. The reply is the same for an unknown email address.',
    message: 'Verification code sent',
    input: Login,
    output: Challenge,
    run: challenge,
  }),
  resend: command({
    rest: 'POST /auth/otp/resend',
    access: 'sign-in',
    tag,
    summary: 'Request another one-time code',
    description:
      'The previous code stops working. At most five codes an hour are sent to one email address; over that limit the reply is the same, but no code is sent.',
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
    description: 'Accepts the pending invitations of the email address. A challenge allows five tries.',
    message: 'Signed in',
    input: Verify,
    output: Tokens,
    errors: [errors.invalid_code, errors.organisation_not_found],
    before: checkCode,
    run: verify,
  }),
  refresh: command({
    rest: 'POST /auth/refresh',
    access: 'sign-in',
    tag,
    summary: 'Exchange a refresh token for a new pair',
    description:
      'The old token is spent. Within 10 seconds it returns the same new token again, in case the reply was lost; after that, using it revokes the session.',
    message: 'Session refreshed',
    input: Refresh,
    output: Tokens,
    errors: [commonErrors.invalid_token],
    before: revokeOnReuse,
    run: refresh,
  }),
  logout: command({
    rest: 'POST /auth/logout',
    access: 'session-read',
    tag,
    summary: 'End the session',
    description: 'Its access tokens and refresh tokens are refused at once.',
    message: 'Signed out',
    input: Nothing,
    output: Ended,
    run: logout,
  }),
  me: query({
    rest: 'GET /auth/me',
    access: 'session-read',
    tag,
    summary: 'Get the signed-in user',
    message: 'Session retrieved',
    input: Nothing,
    output: Me,
    run: me,
  }),
  organisation: command({
    rest: 'POST /auth/organisation',
    access: 'session-read',
    tag,
    summary: 'Switch to another organisation',
    description: 'Ends the current session and starts one in another organisation of the user.',
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
    summary: 'Invite a user by email',
    description:
      'The user joins by verifying a sign-in code within 7 days. Inviting the same address again renews the invitation.',
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
    description: 'The full key is in this reply and cannot be retrieved later. Only owners can create live keys.',
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
