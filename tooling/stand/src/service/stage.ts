import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { composeProcess, everyDomain, loadServiceSettings, type Process } from '@payments/api'
import { ensureDatabase, startEmbedded } from '@payments/embedded-postgres'
import { newId, system } from '@payments/kernel'
import { createLog, migrate, platformSettings, unitOfWork } from '@payments/platform'
import { emit, OUTBOX } from '@payments/webhooks'
import { foundOrganisation } from '../accounts/rows.ts'

const ORGANISATION_ENVIRONMENT = 'test'

/** A database with the service on it, with the actions of a long run. */
export interface EventStage {
  readonly process: Process
  readonly ownerUrl: string
  /** A new organisation with an endpoint at each of these origins. */
  merchant(origins: readonly string[]): Promise<EventMerchant>
  /** A worker in a process of its own. */
  worker(): ChildProcess
  close(): Promise<void>
}

export interface EventMerchant {
  readonly organisationId: string
  /** Commits one event in a transaction of its own, as a change of status does, and returns its id. A held one waits for `release`. */
  emit(held?: 'held'): Promise<string>
  /** Hands all held events to the outbox at once. */
  release(): Promise<void>
  /** Deletes the endpoints, so that pending deliveries do not affect a later run. */
  leave(): Promise<void>
}

interface Urls {
  readonly owner: string
  readonly service: string
}

/** A stage on an embedded server of its own, durable as in production; removed when it closes. */
export async function embeddedStage(devTargets: readonly string[]): Promise<EventStage> {
  const directory = mkdtempSync(join(tmpdir(), 'payments-soak-'))
  const server = await startEmbedded(directory)
  await ensureDatabase(server.ownerUrl(), 'payments')
  const urls = { owner: server.ownerUrl('payments'), service: server.serviceUrl('payments') }
  await migrate(urls.owner, urls.service, everyDomain, createLog('error'))
  const stage = await openStage(urls, devTargets)
  return {
    ...stage,
    async close() {
      await stage.close()
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** A stage on a migrated database. */
export async function openStage(urls: Urls, devTargets: readonly string[]): Promise<EventStage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'payments-stage-'))
  const settings = loadServiceSettings({
    NODE_ENV: 'test',
    LOG_LEVEL: 'error',
    DATA_DIR: dataDir,
    WEBHOOK_DEV_TARGETS: devTargets.join(','),
  })
  const own = await composeProcess(settings, urls.service)
  const { runtime } = own
  return {
    process: own,
    ownerUrl: urls.owner,
    async merchant(origins) {
      const organisationId = await foundOrganisation(runtime)
      const actor = system(organisationId, ORGANISATION_ENVIRONMENT)
      const { webhooks } = own.createCaller(actor)
      const endpoints: string[] = []
      for (const origin of origins) endpoints.push((await webhooks.create({ url: `${origin}/hooks` })).id)
      return {
        organisationId,
        emit: (held) =>
          unitOfWork({ runtime, actor, log: runtime.log }, async (unit) => {
            const id = newId()
            const at = new Date().toISOString()
            const data = { id, status: 'active', previousStatus: null, createdAt: at, updatedAt: at }
            const of = { organisationId, environment: actor.environment }
            return emit(unit, {
              ...of,
              type: 'payment_route.created',
              resourceId: id,
              data,
              ...(held ? { drained: true } : {}),
            })
          }),
        async release() {
          await runtime.pool.query('update events set drained_at = null where organisation_id = $1', [organisationId])
          runtime.trigger(OUTBOX)
        },
        async leave() {
          for (const webhookEndpointId of endpoints) await webhooks.remove({ webhookEndpointId })
        },
      }
    },
    worker: () =>
      spawn(process.execPath, [new URL('../../../../services/gateway/src/main.ts', import.meta.url).pathname], {
        stdio: 'inherit',
        env: {
          PATH: process.env.PATH,
          NODE_ENV: 'test',
          LOG_LEVEL: 'error',
          PROCESS_ROLE: 'worker',
          INTERNAL_PORT: '0',
          DATA_DIR: dataDir,
          DATABASE_URL: urls.service,
          DATABASE_OWNER_URL: urls.owner,
          SECRETS_KEY: platformSettings.from(settings).SECRETS_KEY,
          WEBHOOK_DEV_TARGETS: devTargets.join(','),
        },
      }),
    async close() {
      await own.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Stops a worker and waits until it has exited. */
export async function end(worker: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return
  const gone = once(worker, 'exit')
  worker.kill(signal)
  await gone
}
