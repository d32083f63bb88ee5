import type { ErrorFactory } from '@payments/kernel'
import { sharedRead } from '../database/shared/shared-read.ts'
import type { SqlExecutor } from '../database/sql.ts'

/** How a sandbox provider fails. `down`: nothing is done. `slow`: calls take longer. `forgets`: it is done, but the answer is lost. */
export const faultModes = ['down', 'slow', 'forgets'] as const
export type FaultMode = (typeof faultModes)[number]

/** How much longer a call takes while a provider is slow. */
const SLOW_MS = 1000

/** Makes a sandbox provider fail for `seconds`, in every process and for every organisation; 0 ends the fault. Returns its end. */
export async function setSandboxFault(
  db: SqlExecutor,
  fault: { readonly provider: string; readonly mode: FaultMode; readonly seconds: number },
): Promise<Date> {
  const { rows } = await db.query<{ ends_at: Date | string }>(
    `insert into sandbox_faults (provider, mode, ends_at) values ($1, $2, now() + make_interval(secs => $3))
     on conflict (provider) do update set mode = excluded.mode, ends_at = excluded.ends_at returning ends_at`,
    [fault.provider, fault.mode, fault.seconds],
  )
  return new Date(rows[0]?.ends_at ?? Number.NaN)
}

/**
 * A sandbox provider whose calls fail as operators want: before each of the named methods the present fault is read.
 * The other methods, such as the payer's side, never fail.
 * @param db outside of transactions: its reads are shared
 */
export function withFaults<P extends object>(
  db: SqlExecutor,
  name: string,
  provider: P,
  methods: readonly (keyof P & string)[],
  unavailable: ErrorFactory,
): P {
  const presentMode = sharedRead(async () => {
    const { rows } = await db.query<{ mode: FaultMode }>(
      'select mode from sandbox_faults where provider = $1 and ends_at > now()',
      [name],
    )
    return rows[0]?.mode
  })
  const lost = () => unavailable({ retryAfter: 5, cause: new Error('An operator simulates an outage') })
  const faulty = Object.fromEntries(
    methods.map((method) => [
      method,
      async (...given: unknown[]) => {
        const mode = await presentMode()
        if (mode === 'down') throw lost()
        if (mode === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
        const answer = await (provider[method] as (...all: unknown[]) => Promise<unknown>)(...given)
        if (mode === 'forgets') throw lost()
        return answer
      },
    ]),
  )
  return { ...provider, ...faulty }
}
