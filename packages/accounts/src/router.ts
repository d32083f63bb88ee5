import { command, preparedCommand, query } from '@payments/kernel'
import { z } from 'zod'
import { presentKey } from './entity.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'
import { no } from './refusals.ts'
import {
  ApiKey,
  ApiKeyList,
  Challenge,
  CreatedApiKey,
  Login,
  Me,
  NewApiKey,
  Register,
  Tokens,
  Verify,
} from './schemas.ts'
import { challenge, me, tryCode, verify } from './signin.ts'

const Nothing = z.strictObject({})

export const authRouter = {
  register: command({
    rest: 'POST /auth/register',
    access: 'public',
    tag: 'Authentication',
    summary: 'Register an organisation',
    description: 'Mails a one-time code. Nothing is created before the code is verified.',
    message: 'Verification code sent',
    input: Register,
    output: Challenge,
    run: challenge,
  }),
  login: command({
    rest: 'POST /auth/login',
    access: 'public',
    tag: 'Authentication',
    summary: 'Ask for a one-time code',
    message: 'Verification code sent',
    input: Login,
    output: Challenge,
    run: challenge,
  }),
  verify: preparedCommand({
    rest: 'POST /auth/otp/verify',
    access: 'public',
    tag: 'Authentication',
    summary: 'Sign in with a one-time code',
    message: 'Signed in',
    input: Verify,
    output: Tokens,
    refusals: [no.invalid_code],
    prepare: tryCode,
    run: verify,
  }),
  me: query({
    rest: 'GET /auth/me',
    access: 'session-read',
    tag: 'Authentication',
    summary: 'The signed-in user',
    message: 'Session retrieved',
    input: Nothing,
    output: Me,
    run: me,
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
    async run(read) {
      const { rows, total } = await listKeys(read)
      return { apiKeys: rows.map(presentKey), total }
    },
  }),
  create: command({
    rest: 'POST /api-keys',
    access: 'session',
    tag: 'API keys',
    summary: 'Create an API key',
    description: 'The full key is in this reply and cannot be retrieved later.',
    message: 'API key created',
    status: 201,
    input: NewApiKey,
    output: CreatedApiKey,
    async run(work, input) {
      const { row, key } = await createKey(work, input)
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
    refusals: [no.api_key_not_found],
    run: async (work, { apiKeyId }) => presentKey(await revokeKey(work, apiKeyId)),
  }),
}
