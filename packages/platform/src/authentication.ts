import type { Actor } from '@payments/kernel'
import type { Runtime } from './context.ts'

/** What an `Authorization` header claims, before the database was asked. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'key'; readonly key: string; readonly lookup: string }
  | { readonly kind: 'session'; readonly sessionId: string }
  | { readonly kind: 'invalid-key' | 'invalid-token' }

/** What the database says of a key or session; opaque to everybody but the domain that reads it. */
export type Facts = Readonly<Record<string, unknown>>
export interface KeyFacts extends Facts {
  readonly lookup: string
  readonly organisation_id: string
  readonly environment: string
}
export interface SessionFacts extends Facts {
  readonly id: string
}

/** Turns credentials into actors. The gateway reads the facts of many requests in one statement. */
export interface Authentication {
  /** SQL that selects {@link KeyFacts} for an array of lookup parts (`parameter`, `text[]`). */
  keyFactsSql(parameter: string): string
  /** SQL that selects {@link SessionFacts} of active sessions for an array of ids (`parameter`, `text[]`). */
  sessionFactsSql(parameter: string): string
  /** Opens what one process needs. */
  open(runtime: Runtime): {
    /** Never throws: what is wrong with a header is said by `actorOf`, after the rate limit. */
    read(header: string | undefined): Promise<Credential>
    /**
     * The actor behind a credential. `environment` is the header `X-Service-Environment`; a key brings its own.
     * @throws ServiceError 401 with the specification's message, or 400 for an unknown environment.
     */
    actorOf(
      credential: Credential,
      facts: { readonly key: KeyFacts | undefined; readonly session: SessionFacts | undefined },
      environment: string | undefined,
    ): Actor
  }
}
