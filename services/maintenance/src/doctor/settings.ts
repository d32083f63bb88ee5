import { tokenKeys } from '@payments/accounts'
import { loadServiceSettings, settingNames } from '@payments/api'
import { gatewaySettings } from '@payments/gateway'
import {
  type Diagnosis,
  diagnose,
  foreignSecrets,
  type LiveAdapter,
  type Settings,
  SettingsError,
  shownFingerprints,
} from '@payments/platform'
import type { Pool } from 'pg'
import { domains } from '../command.ts'

/** Variables of other programs begin with these, too. */
const SHARED = new Set(['NODE', 'HOST', 'PORT', 'MAIL', 'DATA', 'LOG', 'ENV'])
const declaredBy = (adapters: readonly LiveAdapter[]) => [...adapters, { settings: gatewaySettings }]
const LIST = 'docs/derived/settings.md lists all settings'

/** The environment, loaded as a process of the service loads it; undefined where it would not start. */
export function loadedSettings(
  env: Record<string, string | undefined>,
  adapters: readonly LiveAdapter[],
): { settings: Settings | undefined; found: Diagnosis[] } {
  try {
    const settings = loadServiceSettings(env, declaredBy(adapters))
    const mode: Diagnosis = settings.production
      ? { check: 'settings', status: 'ok', message: 'All are valid' }
      : {
          check: 'settings',
          status: 'warning',
          message:
            'All are valid, but NODE_ENV is not production: providers are simulated, and secrets are generated in DATA_DIR',
          action: 'Set NODE_ENV=production before the first customer',
        }
    return { settings, found: [mode, ...unknownSettings(env, adapters)] }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    const found = error.message.split('\n').map((message): Diagnosis => {
      const name = message.split(':')[0]
      return {
        check: `settings: ${name}`,
        status: 'failed',
        message,
        action: `Set it as ${LIST.replace('lists', 'describes')}`,
      }
    })
    return { settings: undefined, found: [...found, ...unknownSettings(env, adapters)] }
  }
}

/** Variables that look like settings and are none: a misspelt setting has no effect, and nothing else tells. */
function unknownSettings(env: Record<string, string | undefined>, adapters: readonly LiveAdapter[]): Diagnosis[] {
  const known = new Set(settingNames(declaredBy(adapters)))
  const families = new Set([...known].filter((name) => name.includes('_')).map((name) => name.split('_')[0] as string))
  const unknown = Object.keys(env).filter((name) => {
    const [family = ''] = name.split('_')
    return name.includes('_') && !known.has(name) && families.has(family) && !SHARED.has(family)
  })
  return unknown.sort().map((name) => ({
    check: `settings: ${name}`,
    status: 'warning',
    message: `${name} is not a setting of this version, and has no effect`,
    action: `Correct or remove it: ${LIST}`,
  }))
}

/** Settings of a provider without its credentials have no effect. */
export const unusedSettings = (
  env: Record<string, string | undefined>,
  adapter: LiveAdapter,
  isConfigured: boolean,
): Diagnosis[] =>
  (isConfigured ? [] : Object.keys(adapter.settings.shape))
    .filter((name) => env[name])
    .map((name) => ({
      check: `settings: ${name}`,
      status: 'warning',
      message: `${name} has no effect: ${adapter.name} is not configured`,
      action: `Set the credentials of ${adapter.name}, or remove it`,
    }))

/** The secrets that must not change: do they belong to this database, and are they the same on another machine? */
export async function diagnoseSecrets(settings: Settings, pool: Pool | undefined): Promise<Diagnosis[]> {
  const { keys } = await tokenKeys(settings).jwks()
  const shown = [
    ...shownFingerprints(domains, settings),
    `JWT_PRIVATE_KEY ${keys.map(({ kid }) => kid?.slice(0, 12)).join(', ')}`,
  ].join('; ')
  return [
    {
      check: 'secrets: fingerprints',
      status: 'ok',
      message: `The same on every machine of this installation: ${shown}`,
    },
    pool
      ? await diagnose(
          'secrets: of this database',
          async () => {
            const foreign = await foreignSecrets(pool, domains, settings)
            if (foreign.length === 0) return 'The database was written with these secrets, or is new'
            return {
              status: 'failed',
              message: `The database was written with another ${foreign.join(' and ')}`,
              action: 'Restore it; where several are allowed, name it beside the new one',
            }
          },
          'Migrate the database first: payments migrate',
        )
      : { check: 'secrets: of this database', status: 'skipped', message: 'The database is not reached' },
  ]
}
