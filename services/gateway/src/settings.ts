import { isIP } from 'node:net'
import { defineSettings, listSetting, originsSetting, secondsSetting } from '@payments/platform'
import { z } from 'zod'

const port = z.coerce.number().int().min(0).max(65535)
const limit = z.coerce.number().int().positive()

/** Settings of everything HTTP. */
export const gatewaySettings = defineSettings(
  {
    PORT: port.default(4000).describe('Port of the public API; 0 picks a free one'),
    HOST: z.string().min(1).optional().describe('Address to listen on; 127.0.0.1 outside production, else all'),
    INTERNAL_PORT: port.default(4001).describe('Port of `/metrics`, on HOST; 0 picks a free one'),
    TRUST_PROXY: listSetting
      .pipe(z.array(z.string().refine(isProxy, 'must be IP addresses or CIDR ranges')))
      .default([])
      .describe('Comma-separated addresses or CIDR ranges of the proxies whose X-Forwarded-* headers are trusted'),
    DASHBOARD_ORIGINS: originsSetting.default([]).describe('Comma-separated origins that browsers may call from'),
    RATE_LIMIT_GLOBAL: limit.default(200).describe('Requests of one IP address per window'),
    RATE_LIMIT_AUTH: limit.default(20).describe('Requests of one IP address per window to /v1/auth'),
    RATE_LIMIT_WINDOW_SECONDS: secondsSetting.default(900).describe('Length of a window'),
  },
  (values, { production }) => ({ ...values, HOST: values.HOST ?? (production ? '::' : '127.0.0.1') }),
)

/** An address, a range, or one of the names that `proxy-addr` knows. */
function isProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', bits, ...rest] = text.split('/')
  const longest = isIP(address) === 6 ? 128 : 32
  return (
    isIP(address) !== 0 && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && +bits <= longest))
  )
}
