/** Organisations, users, sign-in, sessions and API keys: who may come in. */
import { domain } from '@payments/kernel'
import {
  ApiKeyEntity,
  ChallengeEntity,
  MembershipEntity,
  OrganisationEntity,
  SessionEntity,
  UserEntity,
} from './entity.ts'
import { mailJob } from './mail.ts'
import { migrations } from './migrations.ts'
import { apiKeysRouter, authRouter } from './router.ts'

export const accounts = domain({
  name: 'accounts',
  router: { auth: authRouter, apiKeys: apiKeysRouter },
  entities: [OrganisationEntity, UserEntity, MembershipEntity, ChallengeEntity, SessionEntity, ApiKeyEntity],
  migrations,
  jobs: [mailJob],
})

export {
  actorOf,
  type Credential,
  type KeyFacts,
  keyFactsSql,
  readCredential,
  type SessionFacts,
  sessionFactsSql,
} from './credentials.ts'
export { tokenKeys } from './tokens.ts'
