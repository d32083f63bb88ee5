import { isIP } from 'node:net'
import { defineSettings, listSetting, originsSetting, portSetting, secondsSetting } from '@payments/platform'
import { z } from 'zod'

const limit = z.coerce.number().int().positive()

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
  CONNECTIONS_TOTAL: limit.default(5000).describe('Open connections of all clients to one process; more are closed'),
  CONNECTIONS_PER_ADDRESS: limit
    .default(100)
    .describe('Open connections of one IPv4 address or IPv6 /64, trusted proxies excepted; more are closed'),
  STALLED_SECONDS: secondsSetting
    .default(60)
    .describe('How long a connection may neither send nor receive a byte during a request before it is closed'),
  RATE_LIMIT_GLOBAL: limit.default(200).describe('Requests from one IP address per window'),
  RATE_LIMIT_AUTH: limit.default(20).describe('Requests from one IP address to /v1/auth per window'),
  RATE_LIMIT_WINDOW_SECONDS: secondsSetting.default(900).describe('Length of a rate limit window'),
})

/** True for an address, a range, or one of the names that `proxy-addr` accepts. */
function isProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', bits, ...rest] = text.split('/')
  const longest = isIP(address) === 6 ? 128 : 32
  return (
    isIP(address) !== 0 && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && +bits <= longest))
  )
}
