import { command, type Domain } from '@payments/platform'
import { z } from 'zod'

/** The sandbox clock of all domains: each of them moves its own due times. */
export const sandboxRouter = (domains: readonly Domain[]) => ({
  sandbox: {
    advance: command({
      rest: 'POST /sandbox/advance',
      access: 'sandbox',
      tag: 'Sandbox',
      summary: 'Move the sandbox clock forward',
      description:
        'Whatever falls due in that time happens now: expiries, settlement, webhook retries. Timestamps are not moved.',
      message: 'Sandbox clock advanced',
      input: z.strictObject({ seconds: z.number().int().min(1).max(31_536_000) }),
      output: z.object({ seconds: z.number().int() }),
      async run(unit, { seconds }) {
        for (const { sandbox } of domains) await sandbox?.advance?.(unit, seconds)
        return { seconds }
      },
    }),
  },
})
