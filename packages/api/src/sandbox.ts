import { command, type Domain } from '@payments/platform'
import { z } from 'zod'

const SECONDS = { description: 'Seconds by which the clock moves forward', example: 3600 }

/** The operation that moves the sandbox clock. Each domain moves its own due times. */
export const sandboxRouter = (domains: readonly Domain[]) => ({
  sandbox: {
    advance: command({
      rest: 'POST /sandbox/advance',
      access: 'sandbox',
      tag: 'Sandbox',
      summary: 'Move the sandbox clock forward',
      description:
        'Everything that falls due within that time happens now: expiries, settlement, webhook retries. Timestamps do not change.',
      message: 'Sandbox clock advanced',
      input: z.strictObject({ seconds: z.number().int().min(1).max(31_536_000).meta(SECONDS) }),
      output: z.object({ seconds: z.number().int().meta(SECONDS) }),
      async run(unit, { seconds }) {
        for (const { sandbox } of domains) await sandbox?.advance?.(unit, seconds)
        return { seconds }
      },
    }),
  },
})
