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
    .describe(
      'Name servers that are asked for the DNS records of merchants, as addresses with an optional port, separated by commas. Default: those of the system',
    ),
})
