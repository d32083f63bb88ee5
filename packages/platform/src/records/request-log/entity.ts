import { defineEntity, p } from '@mikro-orm/core'
import type { Counted, PartitionedTable } from '../../domain/data.ts'
import { index, inheritedTenant, partitionedById } from '../../domain/entity.ts'
import { platformSettings } from '../../settings/settings.ts'

/** Which rows organisations see: the operations of the API, without those of operators, which show other organisations. */
export const SHOWN = "path like '/v1/%' and path not like '/v1/admin/%'"

/** The total of the list. */
export const countedRequests: Counted = { where: SHOWN }

export const partitionedRequests: PartitionedTable = {
  name: 'request_log',
  retentionDays: (settings) => platformSettings.from(settings).RETENTION_REQUEST_LOG_DAYS,
}

const newest = ['createdAt desc', 'id desc']

/** A request that had an organisation: see `write.ts`. */
export const RequestLogEntity = defineEntity({
  name: 'LoggedRequest',
  tableName: 'request_log',
  properties: {
    id: p.uuid().primary(),
    ...inheritedTenant(),
    method: p.text(),
    path: p.text(),
    status: p.smallint(),
    durationMs: p.integer(),
    requestId: p.text(),
    keyId: p.uuid().nullable(),
    sessionId: p.uuid().nullable(),
    ip: p.text().nullable(),
    userAgent: p.text().nullable(),
    idempotencyKey: p.text().nullable(),
    replayed: p.boolean(),
    errorCode: p.text().nullable(),
    resourceId: p.uuid().nullable(),
    requestBody: p.json().columnType('json').nullable(),
    responseBody: p.json().columnType('json').nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [
    index(
      'request_log_of_resource',
      ['resourceId', 'createdAt desc'],
      "resource_id is not null and (method <> 'GET' or status >= 400)",
    ),
    index('request_log_newest', ['organisationId', 'environment', ...newest], SHOWN),
    index('request_log_by_path', ['organisationId', 'environment', 'path', ...newest], SHOWN),
    index('request_log_failed', ['organisationId', 'environment', ...newest], 'status >= 400'),
    index('request_log_by_request_id', ['organisationId', 'requestId']),
    index('request_log_by_idempotency_key', ['organisationId', 'idempotencyKey'], 'idempotency_key is not null'),
    index('request_log_by_resource', ['resourceId', ...newest], 'resource_id is not null'),
  ],
  ...partitionedById,
})
