import { type Environment, newId, system } from '@payments/kernel'
import { type Runtime, unitOfWork } from '@payments/platform'

/** A transaction as a test records it. */
export interface Recorded {
  readonly id?: string
  readonly kind?: string
  readonly status?: string
  /** With its symbol; the symbol alone where the amount is not known. */
  readonly amount?: string
  readonly createdAt?: Date
  /** When it changes. */
  readonly at?: Date
}

/** Records changes of objects in one unit of work, as `createResource()` and `move()` do. */
export const record = (
  runtime: Runtime,
  { organisationId, environment = 'test' }: { organisationId: string; environment?: Environment },
  changes: readonly Recorded[],
): Promise<void> =>
  unitOfWork({ runtime, actor: system(organisationId, environment), log: runtime.log }, async (unit) => {
    for (const {
      id = newId(),
      kind = 'swap',
      status = 'completed',
      amount = '1 USDC',
      createdAt = new Date(),
      at = new Date(),
    } of changes) {
      const [, number = null, currency = ''] = /^(?:(\S*) )?(.*)$/.exec(amount) ?? []
      const written = { amount: number, currency, amountUsd: null }
      const entry = { kind, customerId: null, destination: 'Solana USDC x', ...written, receipt: {} }
      // As of an object that may have been recorded before.
      const change = { organisationId, environment, type: '', resourceId: id, status, previousStatus: status, data: {} }
      await unit.record({ ...change, createdAt, at, entry })
    }
  })
