import { permits } from '@payments/kernel'
import type { ProcedureRule, Runtime } from '@payments/platform'

/** True for a procedure that an internal token may call if it is listed. */
const isGrantable = ({ access, money, personal }: ProcedureRule): boolean =>
  access === 'operator' && !money && !personal

/** What is wrong with each listed name, by its field; empty if every one stands for a procedure that a token may call. */
export function problemsOf(
  listed: readonly string[],
  { procedures }: Pick<Runtime, 'procedures'>,
): Record<string, string> {
  const problems = listed.flatMap((pattern, index): [string, string][] => {
    const problem = problemOf(pattern, procedures)
    return problem ? [[`procedures.${index}`, problem]] : []
  })
  return Object.fromEntries(problems)
}

function problemOf(pattern: string, procedures: Runtime['procedures']): string | undefined {
  const matching = Object.entries(procedures).filter(([name]) => permits([pattern], name))
  if (matching.length === 0) return `Unknown procedure "${pattern}"`
  if (matching.some(([, rule]) => isGrantable(rule))) return undefined
  const [, rule] = matching[0] as (typeof matching)[number]
  if (rule.money) return 'Moves money: that needs the session of an operator'
  return rule.access === 'operator' ? 'Needs the session of an operator' : 'Not a procedure of operators'
}
