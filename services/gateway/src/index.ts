/** The gateway: the public REST surface over the routers, and everything HTTP. */
export { createMetrics, type Metrics, metricsServer } from './metrics.ts'
export { openApiDocument } from './openapi.ts'
export { type Operation, operations } from './operations.ts'
export { no as gatewayRefusals } from './refusals.ts'
export { gateway } from './server.ts'
