/** Organisations, users, sign-in, sessions and API keys: who may come in. */
import { domain } from '@payments/kernel'
import {
  ApiKeyEntity,
  ChallengeEntity,
  InvitationEntity,
  MembershipEntity,
  OrganisationEntity,
  SessionEntity,
  UserEntity,
} from './entity.ts'
import { mailJob } from './mail.ts'
import { migrations } from './migrations.ts'
import { organisationsRouter } from './operator-router.ts'
import { purgeLoop } from './purge.ts'
import { apiKeysRouter, authRouter } from './router.ts'

export const accounts = domain({
  name: 'accounts',
  router: { auth: authRouter, apiKeys: apiKeysRouter, organisations: organisationsRouter },
  entities: [
    OrganisationEntity,
    UserEntity,
    MembershipEntity,
    ChallengeEntity,
    InvitationEntity,
    SessionEntity,
    ApiKeyEntity,
  ],
  migrations,
  jobs: [mailJob],
  loops: [purgeLoop],
})

export {
  actorOf,
  type Credential,
  type KeyFacts,
  keyFactsSql,
  readCredential,
  type SessionFacts,
  sessionFactsSql,
  withoutSession,
} from './credentials.ts'
export { type KeyUses, keyUses } from './key-uses.ts'
export { tokenKeys } from './tokens.ts'
