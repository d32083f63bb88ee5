import { command, type Domain } from '@payments/kernel'
import { z } from 'zod'

/** The sandbox clock, over all domains: whoever has due times says how to bring them nearer. */
export const sandboxRouter = (domains: readonly Domain[]) => ({
  sandbox: {
    advance: command({
      rest: 'POST /sandbox/advance',
      access: 'sandbox',
      tag: 'Sandbox',
      summary: 'Move the sandbox clock forward',
      description: 'What falls due meanwhile happens now: expiries, settlement, webhook retries. Timestamps stay real.',
      message: 'Sandbox clock advanced',
      input: z.strictObject({ seconds: z.number().int().min(1).max(31_536_000) }),
      output: z.object({ seconds: z.number().int() }),
      async run(work, { seconds }) {
        for (const domain of domains) await domain.advance?.(work, seconds)
        return { seconds }
      },
    }),
  },
})
