import type { Pool } from 'pg'
import type { Domain } from '../domain/domain.ts'
import { keyring, secretKeys } from '../settings/secrets.ts'
import { platformSettings, type Settings } from '../settings/settings.ts'
import { keepOnlyFingerprint } from './fingerprints.ts'

const BATCH = 500

/**
 * Encrypts everything that an older key of SECRETS_KEY encrypted with the first key, in small batches, while the service runs or
 * not, and then forgets the older keys, so that they can be removed from the setting. It may be repeated after a crash.
 * @returns the number of values for each column.
 * @throws Error when a value cannot be decrypted with any of the keys. Values before it stay re-encrypted.
 */
export async function reEncrypt(
  pool: Pool,
  domains: readonly Domain[],
  settings: Settings,
): Promise<Readonly<Record<string, number>>> {
  const keys = secretKeys(platformSettings.from(settings).SECRETS_KEY)
  const ring = keyring(keys)
  const done: Record<string, number> = {}
  for (const column of domains.flatMap((domain) => domain.data?.encrypted ?? [])) {
    done[column.name] = 0
    for (;;) {
      const { rows } = await pool.query<{ id: string; value: string }>(column.select, [`v2.${keys[0]?.id}.`, BATCH])
      for (const { id, value } of rows) {
        const context = column.context(id)
        const changed = await pool.query(column.update, [
          id,
          value,
          ring.encrypt(ring.decrypt(value, context), context),
        ])
        done[column.name] = (done[column.name] ?? 0) + (changed.rowCount ?? 0)
      }
      if (rows.length === 0) break
    }
  }
  await keepOnlyFingerprint(pool, { setting: 'SECRETS_KEY', secret: keys[0]?.key as Buffer })
  return done
}
