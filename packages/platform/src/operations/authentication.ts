import type { Actor } from '@payments/kernel'
import type { QueryContext, Runtime } from './context/context.ts'

/** The content of an `Authorization` header, before it is checked against the database. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'key'; readonly key: string; readonly lookup: string }
  | { readonly kind: 'token'; readonly token: string; readonly lookup: string }
  | { readonly kind: 'session'; readonly sessionId: string }
  | { readonly kind: 'invalid-key' | 'invalid-token' }

/** The database record of a key, session or internal token. Only the domain that declares the authentication reads its other columns. */
type CredentialRecord = Readonly<Record<string, unknown>>
export interface KeyRecord extends CredentialRecord {
  readonly lookup: string
  readonly organisation_id: string
  readonly environment: string
}
export interface SessionRecord extends CredentialRecord {
  readonly id: string
}
/** The database record of an internal token. */
export interface TokenRecord extends CredentialRecord {
  readonly lookup: string
}

/** What the database has about the credential of a request. */
export interface CredentialRecords {
  readonly key: KeyRecord | undefined
  readonly session: SessionRecord | undefined
  readonly token: TokenRecord | undefined
}

/** Turns credentials into actors. The gateway reads the records of many requests in one statement. */
export interface Authentication {
  /** SQL that selects {@link KeyRecord} for an array of lookup parts (`parameter`, `text[]`). */
  keyRecordsSql(parameter: string): string
  /** SQL that selects {@link SessionRecord} of active sessions for an array of ids (`parameter`, `text[]`). */
  sessionRecordsSql(parameter: string): string
  /**
   * Requires that the user of a session proved the email address within the last 10 minutes.
   * @throws ServiceError 403 when the session must be confirmed first
   */
  requireConfirmed(context: QueryContext): Promise<void>
  /** Is this user an operator now? */
  isOperator(context: QueryContext, userId: string): Promise<boolean>
  /** SQL that selects {@link TokenRecord} for an array of lookup parts (`parameter`, `text[]`). */
  tokenRecordsSql(parameter: string): string
  /** Creates the functions that one process uses. */
  create(runtime: Runtime): {
    /** Never throws: `actorOf` reports an invalid header, after the rate limit. */
    read(header: string | undefined): Promise<Credential>
    /**
     * The actor of a credential. `environment` is the header `X-Service-Environment`; a key has an environment of its own.
     * `ip` is the complete client address: a key may be restricted to some.
     * @throws ServiceError 401 with the specification's message, or 422 for an unknown environment.
     */
    actorOf(
      credential: Credential,
      records: CredentialRecords,
      request: { readonly environment: string | undefined; readonly ip: string },
    ): Actor
  }
}
