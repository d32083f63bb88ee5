import { newId } from '@payments/kernel'
import {
  type CallContext,
  dryRun,
  type Effect,
  InvalidInput,
  type Operation,
  type QueryContext,
  type UnitOfWork,
} from '@payments/platform'
import { errors } from '../errors.ts'

/** Finds an operator's command by its name in the router. */
export type Commands = (name: string) => Operation | undefined

export interface CommandCallInput {
  readonly command: string
  readonly input: Readonly<Record<string, unknown>>
}

/** A command with its checked input. @throws command_unknown 404, validation_failed 422 */
export function commandOf(commands: Commands, { command: name, input }: CommandCallInput) {
  const operation = commands(name)
  if (!operation?.command || !operation.operatorCommand) throw errors.command_unknown()
  const parsed = operation.input.safeParse(input)
  if (!parsed.success) throw new InvalidInput(parsed.error)
  const { command, operatorCommand } = operation
  return {
    operatorCommand,
    /** Runs it in a unit of work. What it does before the transaction is done already, or not at all. */
    run: (unit: UnitOfWork, prepared: unknown, call: CallContext): Promise<unknown> =>
      command.run(unit, parsed.data as never, prepared as never, call),
    before: (context: QueryContext, call: CallContext): Promise<unknown> =>
      command.before?.(context, parsed.data as never, call) ?? Promise.resolve(undefined),
  }
}

/**
 * Effects of a run, without the ids of what the run itself created: those exist once it is committed, and another run of the same
 * command would create others. `began` is an id made before the run: the ids of a process ascend also while its clock steps back.
 */
export const lasting = (effects: readonly Effect[], began: string): Effect[] =>
  effects.map((effect) => {
    const { resourceId } = effect
    // Version 7: ids of other versions tell no time.
    const isNew = resourceId !== null && resourceId[14] === '7' && resourceId > began
    return isNew ? { ...effect, resourceId: null } : effect
  })

/** As JSON has it: times as text. */
const asJson = (value: object | null) => value && (JSON.parse(JSON.stringify(value)) as Record<string, unknown>)

/**
 * What a command would do and answer, and what the audit log would say: it is run in a transaction that is rolled back.
 * @throws what the command would throw, and dry_run_unavailable 409 where a provider is asked first
 */
export async function tryOut(context: QueryContext, commands: Commands, given: CommandCallInput, call: CallContext) {
  const { run, before, operatorCommand } = commandOf(commands, given)
  if (!operatorCommand.dryRun) throw errors.dry_run_unavailable()
  const prepared = await before(context, call)
  const began = newId()
  const entries: Parameters<NonNullable<UnitOfWork['audited']>>[0][] = []
  const tried = await dryRun(context, async (unit) => {
    // A deadlock runs it again.
    entries.length = 0
    const audited = (entry: (typeof entries)[number]) => void entries.push(entry)
    return (await run({ ...unit, audited }, prepared, call)) as Record<string, unknown>
  })
  // Of an approval, the entry of the command that it runs: what happens to the object is what the operator decides on.
  const [would] = entries
  const { organisationId = null, environment = null } = would ?? {}
  return {
    ...{ ...tried, effects: lasting(tried.effects, began), organisationId, environment },
    ...{ before: asJson(would?.before ?? null), after: asJson(would?.after ?? null) },
  }
}
