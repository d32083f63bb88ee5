import type { Authentication } from '@payments/platform'
import {
  type ApiKeyRecord,
  actorOf,
  type DashboardSessionRecord,
  keyRecordsSql,
  readCredential,
  sessionRecordsSql,
} from './credentials.ts'
import { keyUses } from './key-uses.ts'
import { tokenKeys } from './tokens.ts'

/** How the gateway turns `Authorization` headers into actors (specification, Authentication). */
export const authentication: Authentication = {
  keyRecordsSql,
  sessionRecordsSql,
  create(runtime) {
    const tokens = tokenKeys(runtime.settings)
    const uses = keyUses(runtime)
    return {
      read: (header) => readCredential(header, tokens),
      actorOf(credential, facts, environment) {
        const actor = actorOf(
          credential,
          {
            key: facts.key as ApiKeyRecord | undefined,
            session: facts.session as DashboardSessionRecord | undefined,
          },
          environment,
        )
        if (actor.keyId) uses.note(actor.keyId)
        return actor
      },
    }
  },
}
