import { createHash } from 'node:crypto'

/** Where archives are kept. Its errors name `ARCHIVE_URL`. */
export interface Store {
  /** The place, without credentials. */
  readonly url: string
  /** Stores an object, instead of one of the same key. Once it resolves, the object is durable, and whole. */
  put(key: string, body: Uint8Array, signal: AbortSignal): Promise<void>
  /** The bytes of an object; undefined where there is none. */
  get(key: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array> | undefined>
}

/** The SHA-256 of an object, read to its end; undefined where there is none. */
export async function digestOf(store: Store, key: string, signal: AbortSignal): Promise<string | undefined> {
  const body = await store.get(key, signal)
  if (!body) return undefined
  const hash = createHash('sha256')
  for await (const chunk of body) hash.update(chunk)
  return hash.digest('hex')
}
