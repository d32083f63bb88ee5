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

/** Turns `Authorization` headers into actors (specification, Authentication). */
export const authentication: Authentication = {
  keyRecordsSql,
  sessionRecordsSql,
  create(runtime) {
    const tokens = tokenKeys(runtime.settings)
    const uses = keyUses(runtime)
    return {
      read: (header) => readCredential(header, tokens),
      actorOf(credential, records, environment) {
        const actor = actorOf(
          credential,
          {
            key: records.key as ApiKeyRecord | undefined,
            session: records.session as DashboardSessionRecord | undefined,
          },
          environment,
        )
        if (actor.keyId) uses.record(actor.keyId)
        return actor
      },
    }
  },
}
