import { hash } from 'node:crypto'
import { p } from '@mikro-orm/core'
import type { Provider } from '@payments/kernel'

// An account of a provider shows its own objects only, and says of those of another account that they do not exist. So an object keeps which
// credentials created it, and is asked about with the same ones only.

const DIGITS = 16

/**
 * What an adapter says as `credentials`: the same for the same secrets, and nothing follows from it. `secrets` are what the provider knows the
 * account by, such as its API key, each of at least 16 random characters; not what only signs callbacks.
 */
export const credentialsFingerprint = (provider: string, ...secrets: readonly string[]): string =>
  hash('sha256', JSON.stringify([provider, ...secrets])).slice(0, DIGITS)

/** The column of an object that a provider carries: {@link Provider.credentials} when it was created; null: not known. */
export const credentialsColumn = () => ({ credentials: p.text().nullable() })

/** An object that {@link credentialsColumn} is a part of. */
interface Credentialed {
  readonly credentials?: string | null
}

/** Was the object created with other credentials than those of now? Then the provider must not be asked about it: it would not know it. */
export const hasOtherCredentials = ({ credentials }: Provider, object: Credentialed): boolean =>
  object.credentials != null && credentials !== undefined && object.credentials !== credentials

/** SQL: the opposite for a row's column: it belongs to the credentials of now (a parameter, null: there are none), or nobody knows to which. */
export const withSameCredentials = (now: string, column = 'credentials'): string =>
  `(${column} is null or ${now}::text is null or ${column} = ${now})`

/** The `attention` of an object that waits for the credentials that created it. */
export const OTHER_CREDENTIALS = 'other_credentials'
