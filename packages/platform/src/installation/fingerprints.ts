import { createHmac } from 'node:crypto'
import type { Pool } from 'pg'
import type { Domain } from '../domain/domain.ts'
import type { LastingSecret } from '../settings/secrets.ts'
import { type Settings, SettingsError } from '../settings/settings.ts'

/** The digest of a secret that `setting_fingerprints` has. */
export const fingerprintOf = ({ setting, secret }: LastingSecret): string =>
  createHmac('sha256', secret).update(`fingerprint:${setting}`).digest('hex')

const lastingSecrets = (domains: readonly Domain[], settings: Settings): readonly LastingSecret[] =>
  domains.flatMap((domain) => domain.data?.lastingSecrets?.(settings) ?? [])

/** The lasting secrets, each with the start of a digest that is safe to show and to compare with that of another machine. */
export const shownFingerprints = (domains: readonly Domain[], settings: Settings): readonly string[] =>
  lastingSecrets(domains, settings).map((each) => `${each.setting} ${fingerprintOf(each).slice(0, 12)}`)

/** Settings whose secret is not the one that the database was written with. Writes nothing. */
export async function foreignSecrets(pool: Pool, domains: readonly Domain[], settings: Settings): Promise<string[]> {
  const secrets = lastingSecrets(domains, settings).map((each) => ({
    setting: each.setting,
    digest: fingerprintOf(each),
  }))
  const { rows } = await pool.query<{ setting: string; digest: string }>(
    'select setting, digest from setting_fingerprints',
  )
  const configured = new Set(secrets.map(({ setting }) => setting))
  // A setting that no domain declares any more, or that is not set, protects nothing in this process.
  const foreign = rows.filter(
    ({ setting, digest }) =>
      configured.has(setting) && !secrets.some((each) => each.setting === setting && each.digest === digest),
  )
  return [...new Set(foreign.map(({ setting }) => setting))]
}

/**
 * Compares the lasting secrets with the fingerprints that the database has of them, and stores that of the first of each setting: the
 * one that data is written with. One that only reads what another process or an earlier start wrote is stored by that one; storing it here,
 * too, would bring a key back that a re-encryption has made needless, and nothing would start without it. A process
 * with another secret than the one that the data was written with would write what the others cannot read.
 * @throws SettingsError that names the setting, when the database knows a secret that the settings do not have.
 */
export async function checkFingerprints(pool: Pool, domains: readonly Domain[], settings: Settings): Promise<void> {
  for (const setting of await foreignSecrets(pool, domains, settings))
    throw new SettingsError(
      `${setting}: the database was written with another one. Restore it; where several are allowed, name it beside the new one`,
    )
  const secrets = lastingSecrets(domains, settings)
  const written = [...new Set(secrets.map(({ setting }) => setting))].flatMap(
    (name) => secrets.find(({ setting }) => setting === name) ?? [],
  )
  await pool.query(
    `insert into setting_fingerprints (setting, digest, created_at)
     select setting, digest, now() from unnest($1::text[], $2::text[]) as s (setting, digest) on conflict do nothing`,
    [written.map(({ setting }) => setting), written.map(fingerprintOf)],
  )
}

/** Forgets all secrets of a setting but this one: nothing is left that needs the others. */
export async function keepOnlyFingerprint(pool: Pool, secret: LastingSecret): Promise<void> {
  await pool.query('delete from setting_fingerprints where setting = $1 and digest <> $2', [
    secret.setting,
    fingerprintOf(secret),
  ])
}
