import type { Authentication } from '@payments/platform'
import { requireConfirmed } from '../confirmation.ts'
import { isOperator } from '../organisations/operators.ts'
import { tokenKeys } from '../sessions/tokens.ts'
import { usesOf } from '../sessions/uses.ts'
import {
  type ApiKeyRecord,
  actorOf,
  type DashboardSessionRecord,
  type InternalTokenRecord,
  keyRecordsSql,
  readCredential,
  sessionRecordsSql,
  tokenRecordsSql,
} from './credentials.ts'

/** Turns `Authorization` headers into actors (specification, Authentication). */
export const authentication: Authentication = {
  keyRecordsSql,
  sessionRecordsSql,
  requireConfirmed,
  isOperator,
  tokenRecordsSql,
  create(runtime) {
    const tokens = tokenKeys(runtime.settings)
    const keys = usesOf(runtime, 'api_keys')
    const sessions = usesOf(runtime, 'sessions')
    const internalTokens = usesOf(runtime, 'internal_tokens')
    const { settings } = runtime
    return {
      read: (header) => readCredential(header, tokens),
      actorOf(credential, records, { environment, ip }) {
        const actor = actorOf(
          credential,
          {
            key: records.key as ApiKeyRecord | undefined,
            session: records.session as DashboardSessionRecord | undefined,
            token: records.token as InternalTokenRecord | undefined,
          },
          { environment, ip, settings },
        )
        if (actor.keyId) keys.record(actor.keyId)
        if (actor.sessionId) sessions.record(actor.sessionId)
        if (actor.tokenId) internalTokens.record(actor.tokenId)
        return actor
      },
    }
  },
}
