import { addressProblems, localProblems, portProblems } from '@payments/gateway'
import { type Diagnosis, diagnose, type LiveAdapter, type Settings } from '@payments/platform'
import { withDatabase } from '../command.ts'
import { diagnoseAddress } from './address.ts'
import { diagnoseDatabase } from './database.ts'
import { diagnoseMail } from './mail.ts'
import { diagnoseSecrets, loadedSettings, unusedSettings } from './settings.ts'
import { diagnoseStandby } from './standby.ts'

/**
 * Everything that the doctor finds in this environment, in the order in which it is best mended. Whatever fails, the other checks are made
 * where they can be.
 */
export async function examine(
  env: Record<string, string | undefined>,
  adapters: readonly LiveAdapter[],
  mailTo?: string,
): Promise<Diagnosis[]> {
  const { settings, found } = loadedSettings(env, adapters)
  if (!settings)
    return [...found, { check: 'everything else', status: 'skipped', message: 'The settings are not valid' }]
  const start = await diagnoseStart(settings)
  let examined: Diagnosis[] | undefined
  const reached = await diagnose(
    'database',
    async () => {
      await withDatabase('doctor', settings, async (database) => {
        examined = [
          ...(await diagnoseDatabase(settings, database)),
          await diagnoseStandby(settings, database.pool),
          ...(await withoutDatabase(env, adapters, settings, mailTo, database.pool)),
        ]
      })
      return 'It is reached'
    },
    'Start it, and compare the URL with it',
  )
  return [...found, ...start, reached, ...(examined ?? (await withoutDatabase(env, adapters, settings, mailTo)))]
}

/** What a process that starts with these settings would refuse, by the same code. */
async function diagnoseStart(settings: Settings): Promise<Diagnosis[]> {
  const problems = [...localProblems(settings), ...(await portProblems(settings))]
  for await (const problem of addressProblems(settings)) problems.push(problem)
  if (problems.length === 0)
    return [
      {
        check: 'start',
        status: 'ok',
        message: 'The ports are free or its own; folder, proxy and each address of the database are usable',
      },
    ]
  return problems.map(({ setting, message }) => ({
    check: `start: ${setting}`,
    status: 'failed',
    message,
    action: 'A process with these settings does not start',
  }))
}

async function withoutDatabase(
  env: Record<string, string | undefined>,
  adapters: readonly LiveAdapter[],
  settings: Settings,
  mailTo: string | undefined,
  pool?: Parameters<typeof diagnoseSecrets>[1],
): Promise<Diagnosis[]> {
  const providers = await Promise.all(
    adapters.map(async (adapter) => ({ adapter, found: await adapter.diagnose(settings, pool) })),
  )
  const configured = providers.filter(({ found }) => found.length > 0).map(({ adapter }) => adapter)
  const withCallbacks = configured.filter((adapter) => adapter.callbacks).map(({ name }) => name)
  return [
    ...(await diagnoseSecrets(settings, pool)),
    await diagnoseMail(settings, mailTo),
    ...(await diagnoseAddress(settings, pool, withCallbacks)),
    ...providers.flatMap(({ adapter, found }) => [
      ...unusedSettings(env, adapter, found.length > 0),
      ...(found.length > 0 ? found : [notConfigured(adapter)]),
    ]),
  ]
}

const notConfigured = ({ name }: LiveAdapter): Diagnosis => ({
  check: name,
  status: 'skipped',
  message: 'It is not configured: what it is for is not available live',
})
