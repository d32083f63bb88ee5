import { context, trace } from '@opentelemetry/api'
import type { Settings } from '@payments/platform'
import { gatewaySettings } from '../settings.ts'

/** How long the end of the process waits for a collector that does not answer, ms. */
const EXPORT_MS = 3000

/**
 * Sends spans to the OpenTelemetry collector of the settings. Its libraries are loaded only where one is named.
 * @returns what sends the spans that wait and ends it
 */
export async function startTracing(settings: Settings): Promise<(() => Promise<void>) | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER_ARG } =
    gatewaySettings.from(settings)
  if (!OTEL_EXPORTER_OTLP_ENDPOINT) return undefined
  const [sdk, { AsyncLocalStorageContextManager }, { OTLPTraceExporter }, { resourceFromAttributes }] =
    await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ])
  const exporter = new OTLPTraceExporter({
    url: `${OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '')}/v1/traces`,
    headers: OTEL_EXPORTER_OTLP_HEADERS,
    timeoutMillis: EXPORT_MS,
  })
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': OTEL_SERVICE_NAME, 'process.pid': process.pid }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(OTEL_TRACES_SAMPLER_ARG) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_MS })],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(provider)
  return () => provider.shutdown()
}
