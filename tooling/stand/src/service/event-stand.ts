import type { ChildProcess } from 'node:child_process'
import type { Process } from '@payments/api'
import { newId, system } from '@payments/kernel'
import { platformSettings, unitOfWork } from '@payments/platform'
import { emit, OUTBOX } from '@payments/webhooks'
import { foundOrganisation } from '../rows.ts'
import { type DatabaseUrls, startDatabase } from './database.ts'
import { runService } from './in-process.ts'
import { launch } from './launch.ts'
import { sharedSettings } from './settings.ts'

const ORGANISATION_ENVIRONMENT = 'test'

/** A database with the service on it, with the actions of a long run. */
export interface EventStand {
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

/** A stand on an embedded server of its own, durable as in production; removed when it closes. */
export async function embeddedEventStand(devTargets: readonly string[]): Promise<EventStand> {
  const database = await startDatabase()
  const stand = await openEventStand(database, devTargets)
  return { ...stand, close: () => stand.close().finally(database.close) }
}

/** A stand on a migrated database. */
export async function openEventStand(database: DatabaseUrls, devTargets: readonly string[]): Promise<EventStand> {
  const targets = { WEBHOOK_DEV_TARGETS: devTargets.join(',') }
  const own = await runService(database, { settings: targets, logLevel: 'warn' })
  const { runtime, process } = own
  return {
    process,
    ownerUrl: database.ownerUrl,
    async merchant(origins) {
      const organisationId = await foundOrganisation(runtime)
      const actor = system(organisationId, ORGANISATION_ENVIRONMENT)
      const { webhooks } = process.createCaller(actor)
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
          for (const webhookEndpointId of endpoints) await webhooks.delete({ webhookEndpointId })
        },
      }
    },
    worker: () =>
      launch(
        {
          ...sharedSettings({ dataDir: own.dataDir, ...database }, targets),
          PROCESS_ROLE: 'worker',
          INTERNAL_PORT: '0',
          SECRETS_KEY: platformSettings.from(runtime.settings).SECRETS_KEY,
        },
        (text) => void globalThis.process.stderr.write(text),
      ),
    close: own.stop,
  }
}
