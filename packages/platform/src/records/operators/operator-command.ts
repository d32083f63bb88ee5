import type { Environment } from '@payments/kernel'
import { z } from 'zod'
import { domainsOf } from '../../domain/domain.ts'
import type { QueryContext, UnitOfWork } from '../../operations/context/context.ts'
import { type CallContext, type Described, mutation, type Shapes } from '../../operations/operations.ts'
import { auditEntry } from '../audit-log.ts'
import { inTurnOfOperator } from './second-operator.ts'

/** Why an operator does it: kept in the audit log. */
export const Reason = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .meta({ description: 'Why you do it. Kept in the audit log', example: 'The bank confirmed the transfer by phone' })

/** What a command of an operator did. */
export interface Audited<T> {
  readonly reply: T
  /** The object concerned and whose it is; absent where the command concerns none. */
  readonly subject?: {
    readonly id: string
    readonly organisationId?: string
    readonly environment?: Environment
  }
  /** What it was before, and what it is now (the reply unless given). Never a secret. */
  readonly before?: object
  readonly after?: object
}

type ReasonField<R> = R extends 'optional' ? z.ZodOptional<typeof Reason> : typeof Reason
type WithReason<I extends z.ZodObject, R> = z.ZodObject<I['shape'] & { reason: ReasonField<R> }>

/**
 * Defines a command of operators. Its input has a `reason`, and its transaction writes one entry of the audit log: who did what
 * to which object, when, why, and what that changed. One that fails writes none.
 * @throws confirmation_required 403 for `money` when the session was not confirmed within the last 10 minutes
 */
export function operatorCommand<
  I extends z.ZodObject,
  O extends z.ZodType,
  P = undefined,
  const R extends 'required' | 'optional' = 'required',
>(
  definition: Described &
    Shapes<I, O> & {
      /** `optional` for commands that had none in version 1.0.0 of the interface. */
      reason?: R
      /** It moves money, or records its outcome. */
      money?: true
      callsProvider?: true
      before?(context: QueryContext, input: z.output<WithReason<I, R>>, call: CallContext): Promise<P>
      /** `before` only reads, so a dry run calls it too. */
      beforeOnlyReads?: true
      run(
        unit: UnitOfWork,
        input: z.output<WithReason<I, R>>,
        prepared: P,
        call: CallContext,
      ): Promise<Audited<z.input<O>>>
    },
) {
  if (definition.money && definition.before)
    throw new Error(`${definition.rest}: a money command has no step before it`)
  const { before, beforeOnlyReads, money, reason, run, ...described } = definition
  const kept = reason === 'optional' ? Reason.optional() : Reason
  const input = definition.input.extend({ reason: kept }) as unknown as WithReason<I, R>
  return mutation<WithReason<I, R>, O, P>(
    {
      ...described,
      access: 'operator',
      input,
      ...(before ? { before } : {}),
      async run(unit, given, prepared, call) {
        // A dry run changes nothing, and an approval has confirmed its own session.
        if (money && !unit.effects && !unit.requestedBy) {
          await requireConfirmed(unit)
          await inTurnOfOperator(unit)
        }
        const { userId } = unit.actor
        const done = await run(userId ? { ...unit, operator: userId } : unit, given, prepared, call)
        auditEntry(unit, {
          operation: described.rest,
          summary: described.summary,
          input: given as { reason?: string },
          ...done,
        })
        return done.reply
      },
    },
    { money: money ?? false, dryRun: before === undefined || beforeOnlyReads === true },
  )
}

async function requireConfirmed(unit: UnitOfWork): Promise<void> {
  for (const { api } of domainsOf(unit.runtime)) await api?.authentication?.requireConfirmed(unit)
}
