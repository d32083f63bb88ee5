import type { Environment } from '@payments/kernel'
import type { Runtime } from '../../operations/context/context.ts'
import { platformSettings } from '../../settings/settings.ts'
import { type Exchange, loggedBodies, NO_BODIES } from './bodies.ts'

const WRITE_MS = 250
const BATCH = 500
const MAX_WAITING = 10_000
/** While more wait for a database that does not answer, their bodies would fill the memory. */
const MAX_BODIES = 2000

/** What is kept of a request that has an organisation: never its query, nor what its bodies had before they were redacted. */
export interface LoggedRequest {
  /** That of the request, where this service gave it one: then both are the same. */
  readonly id: string
  readonly organisationId: string
  readonly environment: Environment
  readonly method: string
  /** The pattern of the path: `/v1/customers/{customerId}`. */
  readonly path: string
  readonly status: number
  readonly durationMs: number
  readonly requestId: string
  readonly keyId: string | null
  readonly sessionId: string | null
  readonly ip: string
  readonly userAgent: string | null
  readonly idempotencyKey: string | null
  readonly replayed: boolean
  readonly errorCode: string | null
  /** The object that the request created, else the one that its path names. */
  readonly resourceId: string | null
  /** What its bodies are redacted from; undefined where no operation answered. Not kept itself. */
  readonly exchange: Exchange | undefined
}

export interface RequestLog {
  record(request: LoggedRequest): void
  /** Writes what is waiting, and resolves when it is stored. Never rejects. */
  flush(): Promise<void>
}

/**
 * Writes the request log outside the transactions of requests: rows are collected for a quarter of a second and inserted in one
 * statement. A statement that fails is repeated with the next one. Rows are lost when the process is killed, and when more than
 * 10,000 of them wait for a database that does not answer. A process that stops writes what it has.
 */
export function requestLog({
  settings,
  priorityPool,
  log,
}: Pick<Runtime, 'settings' | 'priorityPool' | 'log'>): RequestLog {
  const isOn = platformSettings.from(settings).RETENTION_REQUEST_LOG_DAYS > 0
  let waiting: object[] = []
  let scheduled = false
  let writing: Promise<boolean> = Promise.resolve(true)

  async function write(): Promise<boolean> {
    const rows = waiting.splice(0, BATCH)
    if (rows.length === 0) return true
    try {
      await priorityPool.query({ name: 'request-log', text: INSERT, values: [JSON.stringify(rows)] })
      return true
    } catch (error) {
      log.warn({ err: error, requests: rows.length }, 'request log not written')
      waiting = [...rows, ...waiting]
      return false
    }
  }
  const writeNext = (): Promise<boolean> => {
    writing = writing.then(write)
    return writing
  }
  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setTimeout(() => {
      scheduled = false
      void writeNext().then(() => {
        if (waiting.length > 0) schedule()
      })
    }, WRITE_MS).unref()
  }

  return {
    record({ exchange, ...request }) {
      if (!isOn || waiting.length >= MAX_WAITING) return
      // Most of what the log costs a request is the redaction: a body that is not kept is not redacted.
      const bodies = exchange && waiting.length < MAX_BODIES ? loggedBodies(exchange) : NO_BODIES
      waiting.push({ ...request, ...bodies, createdAt: new Date() })
      schedule()
    },
    async flush() {
      while ((await writeNext()) && waiting.length > 0);
    },
  }
}

const INSERT = `insert into request_log (id, organisation_id, environment, method, path, status, duration_ms, request_id, key_id,
    session_id, ip, user_agent, idempotency_key, replayed, error_code, resource_id, request_body, response_body, created_at)
  select id, "organisationId", environment, method, path, status, "durationMs", "requestId", "keyId",
         "sessionId", ip, "userAgent", "idempotencyKey", replayed, "errorCode", "resourceId", "requestBody", "responseBody", "createdAt"
    from json_to_recordset($1) as row (id uuid, "organisationId" uuid, environment text, method text, path text, status smallint,
      "durationMs" integer, "requestId" text, "keyId" uuid, "sessionId" uuid, ip text, "userAgent" text, "idempotencyKey" text,
      replayed boolean, "errorCode" text, "resourceId" uuid, "requestBody" json, "responseBody" json, "createdAt" timestamptz)
  on conflict do nothing`
