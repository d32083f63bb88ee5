/** The gateway: the public REST surface over the routers, and everything HTTP. */
export { adapters } from './adapters.ts'
export { errors as gatewayErrors } from './errors.ts'
export { createMetrics, type Metrics, metricsServer } from './metrics.ts'
export { openApiDocument } from './openapi.ts'
export { operations, type RestOperation } from './operations.ts'
export { gateway } from './server.ts'
export { gatewaySettings } from './settings.ts'
