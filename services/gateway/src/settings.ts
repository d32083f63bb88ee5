import { isIP } from 'node:net'
import { defineSettings, listSetting, originsSetting, portSetting, secondsSetting } from '@payments/platform'
import { z } from 'zod'

const limit = z.coerce.number().int().positive()

/** Comma-separated `name=value`; values may be percent-encoded, as OpenTelemetry's own variable. */
const headersSetting = listSetting.transform((parts, context) => {
  const headers: Record<string, string> = {}
  for (const part of parts) {
    const [, name, value] = /^([\w-]+)=(.*)$/.exec(part) ?? []
    const decoded = value === undefined ? undefined : decode(value)
    if (name !== undefined && decoded !== undefined) headers[name] = decoded
    else context.addIssue({ code: 'custom', message: 'must be like name=value,other=value' })
  }
  return headers
})

/** Settings of the HTTP servers, beside HOST and PORT, which are part of the public address that every process knows. */
export const gatewaySettings = defineSettings({
  INTERNAL_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address of the internal server, in production too: it needs no credential'),
  INTERNAL_PORT: portSetting
    .default(4001)
    .describe('Port of `/metrics`, `/livez` and `/readyz`, on INTERNAL_HOST; 0 selects a free port'),
  TRUST_PROXY: listSetting
    .pipe(z.array(z.string().refine(isProxy, 'must be IP addresses or CIDR ranges')))
    .default([])
    .describe('Comma-separated addresses or CIDR ranges of the proxies whose X-Forwarded-* headers are trusted'),
  DASHBOARD_ORIGINS: originsSetting
    .default([])
    .describe('Comma-separated origins of the dashboard, from which browsers may call the API'),
  CONNECTIONS_TOTAL: limit
    .default(5000)
    .describe('Open connections of all clients to one process; more are closed. Event streams may be 60 % of them'),
  CONNECTIONS_PER_ADDRESS: limit
    .default(300)
    .describe(
      'Open connections of one IPv4 address or IPv6 /64, trusted proxies excepted; more are closed. As many event streams of one IPv4 address or IPv6 /56',
    ),
  STALLED_SECONDS: secondsSetting
    .default(60)
    .describe(
      'How long a client may neither send the rest of its request nor read the reply before its connection is closed',
    ),
  RATE_LIMIT_GLOBAL: limit.default(200).describe('Requests from one IP address per window, views of pages excepted'),
  RATE_LIMIT_VIEWS: limit
    .default(5000)
    .describe(
      'Views of pages from one IP address per window: pay pages and the documentation. Requests to `/v1` are not among them',
    ),
  RATE_LIMIT_DASHBOARD: limit
    .default(3000)
    .describe('Calls of one signed-in dashboard session per window, in place of RATE_LIMIT_GLOBAL'),
  RATE_LIMIT_AUTH: limit.default(20).describe('Requests from one IP address to /v1/auth per window'),
  RATE_LIMIT_WINDOW_SECONDS: secondsSetting.default(900).describe('Length of a rate limit window'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
    .optional()
    .describe('OpenTelemetry collector (OTLP over HTTP) that receives traces, without `/v1/traces`; unset: none'),
  OTEL_EXPORTER_OTLP_HEADERS: headersSetting
    .default({})
    .describe('Comma-separated headers for the collector, `name=value`'),
  OTEL_SERVICE_NAME: z.string().min(1).max(100).default('payments').describe('Name of this service in traces'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0, 'must be between 0 and 1')
    .max(1, 'must be between 0 and 1')
    .default(0.1)
    .describe('Share of requests and jobs that are traced, 0 to 1'),
})

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** True for an address, a range, or one of the names that `proxy-addr` accepts. */
function isProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', bits, ...rest] = text.split('/')
  const longest = isIP(address) === 6 ? 128 : 32
  return (
    isIP(address) !== 0 && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && +bits <= longest))
  )
}
