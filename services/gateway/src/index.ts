/** The gateway: the public REST API over the routers, and all HTTP handling. */
export { adapters } from './adapters.ts'
export { errors as gatewayErrors } from './errors.ts'
export { internalServer } from './internal.ts'
export { createMetrics, type Metrics } from './metrics.ts'
export { openApiDocument } from './openapi.ts'
export { operations, type RestOperation } from './operations.ts'
export { gateway } from './server.ts'
export { gatewaySettings } from './settings.ts'
