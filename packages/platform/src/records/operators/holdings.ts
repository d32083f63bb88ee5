import { domainsOf } from '../../domain/domain.ts'
import type { QueryContext, UnitOfWork } from '../../operations/context/context.ts'
import type { Holding } from '../../operations/context/operators.ts'

/** What an organisation has in all domains, as they declare it. */
export async function holdingsOf(context: QueryContext, organisationId: string): Promise<readonly Holding[]> {
  const found: Holding[] = []
  // One after the other: in a unit of work they share its connection.
  for (const { operators } of domainsOf(context.runtime))
    found.push(...((await operators?.holdings?.(context, organisationId)) ?? []))
  return found
}

/** A holding in one line: `live, offramp, processing: 2, 50 USDC`, `live, balance, available: 50 USDC`. */
const lineOf = ({ group, environment, kind, status, count, amount, object }: Holding): string => {
  const what = [...(environment ? [environment] : []), kind, status].map((each) => each.replaceAll('_', ' ')).join(', ')
  const much = [...(group === 'balance' ? [] : [object ? object.name : count]), ...(amount === null ? [] : [amount])]
  return `${what.replace(/\bapi\b/, 'API')}: ${much.join(', ')}`
}

/** Shows in a dry run what a change of an organisation touches: what is open, what it holds, and who and what acts for it. Elsewhere nothing. */
export async function showTouched(unit: UnitOfWork, organisationId: string): Promise<void> {
  if (!unit.effects) return
  for (const holding of await holdingsOf(unit, organisationId))
    if (holding.group !== 'volume')
      unit.effects.push({ kind: 'touched', resourceId: holding.object?.id ?? null, summary: lineOf(holding) })
}
