import { time } from '@payments/kernel'
import { command, type Domain, faultModes, operatorCommand, setSandboxFault, sqlOf } from '@payments/platform'
import { z } from 'zod'

const SECONDS = { description: 'Seconds by which the clock moves forward', example: 3600 }

/** The operations that move the sandbox clock and simulate outages. Each domain moves its own due times. */
export const sandboxRouter = (domains: readonly Domain[]) => ({
  sandbox: {
    advance: command({
      rest: 'POST /sandbox/advance',
      access: 'sandbox',
      role: 'finance-or-developer',
      tag: 'Sandbox',
      summary: 'Move the sandbox clock forward',
      description:
        'Everything that falls due within that time happens now: expiries, settlement, webhook retries. Timestamps do not change.',
      message: 'Sandbox clock advanced',
      input: z.strictObject({ seconds: z.number().int().min(1).max(31_536_000).meta(SECONDS) }),
      output: z.object({ seconds: z.number().int().meta(SECONDS) }),
      async run(unit, { seconds }) {
        // A domain comes after those that it builds on. What they report is applied under their locks before its own, and so is this.
        for (const { api } of domains) await api?.sandbox?.advance?.(unit, seconds)
        return { seconds }
      },
    }),
  },
  admin: {
    sandbox: {
      faults: operatorCommand({
        rest: 'POST /admin/ops/sandbox/faults',
        tag: 'Sandbox',
        summary: 'Simulate an outage of a sandbox provider',
        description:
          'For all organisations. `down`: calls fail and have no effect. `slow`: calls take a second longer. `forgets`: calls have their effect, but the answer is lost. 0 seconds end the outage.',
        message: 'Sandbox fault set',
        input: z.strictObject({
          provider: z.enum(sandboxProviders(domains)).meta({ description: 'Name of the sandbox provider' }),
          mode: z.enum(faultModes).meta({ description: 'How its calls fail' }),
          seconds: z
            .number()
            .int()
            .min(0)
            .max(86_400)
            .meta({ description: 'For how long; 0 ends the outage', example: 0 }),
        }),
        output: z.object({
          provider: z.string().meta({ description: 'Name of the sandbox provider', example: 'fiat' }),
          mode: z.enum(faultModes).meta({ description: 'How its calls fail' }),
          seconds: z.number().int().meta({ description: 'For how long', example: 0 }),
          endsAt: time('When the outage ends'),
        }),
        async run(unit, fault) {
          const endsAt = (await setSandboxFault(sqlOf(unit.em), fault)).toISOString()
          return { reply: { provider: fault.provider, mode: fault.mode, seconds: fault.seconds, endsAt } }
        },
      }),
    },
  },
})

const sandboxProviders = (domains: readonly Domain[]): [string, ...string[]] =>
  domains.flatMap(({ providers = [] }) => providers.flatMap(({ sandbox }) => sandbox ?? [])) as [string, ...string[]]
