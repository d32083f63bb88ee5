/** Organisations, users, sign-in, sessions and API keys: authentication and access. */
// Order, lowest first: errors, settings, emails, purge, rules, schemas, entity, confirmation, organisations,
// sessions, keys, authentication, signin, api, migrations.
import { domain } from '@payments/platform'
import { accessRouter } from './api/access-router.ts'
import { internalTokensRouter, organisationsRouter } from './api/admin-router.ts'
import { pages } from './api/pages.ts'
import { apiKeysRouter, authRouter } from './api/router.ts'
import { authentication } from './authentication/authentication.ts'
import { emailJob, emailMetric, encryptedEmails } from './emails/email.ts'
import { notificationEmailsJob } from './emails/notification-emails.ts'
import {
  ApiKeyEntity,
  ChallengeEntity,
  CodeTryEntity,
  DeviceRequestEntity,
  EmailSendEntity,
  InternalTokenEntity,
  InvitationEntity,
  MembershipEntity,
  OrganisationEntity,
  presentKey,
  RefreshTokenEntity,
  SessionEntity,
  SignInAddressEntity,
  UserEntity,
} from './entity.ts'
import { errors } from './errors.ts'
import { moves } from './keys/moves.ts'
import { migrations } from './migrations.ts'
import { operators } from './organisations/operators-search.ts'
import { purge } from './purge.ts'
import { restore } from './sessions/restore.ts'
import { RESTORED } from './sessions/restore-notice.ts'
import { encryptedSuccessors } from './sessions/sessions.ts'
import { accountsSettings } from './settings.ts'

import { guessedAccountsMetric, wrongCodesAlert, wrongCodesMetric } from './signin/wrong-codes.ts'

export const accounts = domain({
  name: 'accounts',
  settings: accountsSettings,
  api: {
    tags: [
      {
        name: 'Authentication',
        description: 'Sign-in with one-time codes, sessions, and the members of an organisation',
        position: 10,
      },
      { name: 'API keys', description: 'Keys with which your servers call this API', position: 20 },
      { name: 'Organisations', description: 'The organisations that use the service', position: 200 },
      {
        name: 'Internal tokens',
        description: 'Tokens with which internal tools call the procedures of operators',
        position: 205,
      },
    ],
    router: {
      auth: authRouter,
      apiKeys: apiKeysRouter,
      admin: { organisations: { ...organisationsRouter, ...accessRouter }, internalTokens: internalTokensRouter },
    },
    authentication,
    errors,
    pages,
  },
  data: {
    restore,
    entities: [
      OrganisationEntity,
      UserEntity,
      MembershipEntity,
      ChallengeEntity,
      CodeTryEntity,
      DeviceRequestEntity,
      EmailSendEntity,
      SignInAddressEntity,
      InvitationEntity,
      SessionEntity,
      RefreshTokenEntity,
      ApiKeyEntity,
      InternalTokenEntity,
    ],
    migrations,
    encrypted: [encryptedSuccessors, encryptedEmails],
    moves,
    timeline: { objects: ['api_keys'] },
  },
  work: {
    jobs: [emailJob, notificationEmailsJob, purge, wrongCodesAlert],
    notificationTypes: {
      'api_key.created': { description: 'An API key was created', email: true },
      'api_key.revoked': { description: 'An API key was revoked', email: true },
      // All owners get an email about these, whatever the preferences say.
      'member.invited': { description: 'An email address was invited to the organisation', email: false },
      'member.joined': { description: 'A user accepted an invitation', email: false },
      'organisation.suspended': { description: 'Operators suspended the organisation', email: false },
      'organisation.reactivated': { description: 'Operators lifted the suspension of the organisation', email: false },
      // The user who signed in gets an email of their own, whatever the preferences say.
      'session.new_device': { description: 'A member signed in from a new device or network', email: false },
      [RESTORED]: { description: 'The service was restored, and some objects and events may be missing', email: true },
    },
  },
  operators: {
    ...operators,
    metrics: [wrongCodesMetric, guessedAccountsMetric, emailMetric],
    objects: [{ kind: 'api_key', parameter: 'apiKeyId', table: 'api_keys', entity: ApiKeyEntity, present: presentKey }],
  },
})

/** SQL: a join that adds `<alias>.name` and `<alias>.suspended_at` of the organisation that a row of the table `of` belongs to, found by its key. */
export const joinMerchant = (alias: string, of: string): string =>
  `cross join lateral (select name, suspended_at from organisations where id = ${of}.organisation_id limit 1) ${alias}`

/** SQL: the name of the organisation that a row of `of` belongs to; null where it belongs to none. */
export const merchantNameOf = (of: string): string =>
  `(select name from organisations where id = ${of}.organisation_id)`

export { requireConfirmed, requireConfirmedOwner } from './confirmation.ts'
export { emailApprovers } from './emails/approver-emails.ts'
export { type DesignedEmail, designedEmail } from './emails/designed-email.ts'
export { sendEmail, sendEmailNow } from './emails/email.ts'
export * as serviceEmails from './emails/email-texts.ts'
export { plainName } from './emails/email-texts.ts'
export { emailOperators } from './emails/operator-emails.ts'
export { emailsOfCell, keysOfCell } from './keys/cells.ts'
export { memberEmails } from './organisations/members.ts'
export { merchantProfile } from './organisations/organisations.ts'
export { emailOwners } from './organisations/owner-emails.ts'
export { knownZone } from './organisations/time-zone.ts'
export { type RevokedKeys, revokeForgotten } from './sessions/restore.ts'
export { tokenKeys } from './sessions/tokens.ts'
export { accountsSettings } from './settings.ts'
