import { Resolver } from 'node:dns'
import { defineSettings } from '@payments/platform'
import { z } from 'zod'

export const brandingSettings = defineSettings({
  DNS_SERVERS: z
    .string()
    .optional()
    .transform((list) =>
      list
        ?.split(',')
        .map((server) => server.trim())
        .filter(Boolean),
    )
    .refine((servers) => servers === undefined || areServers(servers), 'must be IP addresses, with an optional port')
    .describe(
      'Name servers that are asked for the DNS records of merchants, as addresses with an optional port, separated by commas. Default: those of the system',
    ),
})

/** Can a resolver ask them? */
function areServers(servers: readonly string[]): boolean {
  try {
    new Resolver().setServers(servers)
    return true
  } catch {
    return false
  }
}
