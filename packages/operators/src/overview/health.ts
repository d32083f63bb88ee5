import { domainsOf, type QueryContext, type RateBudget, readProviderAnswers, sqlOf } from '@payments/platform'
import type { z } from 'zod'
import type { ProviderHealth } from '../schemas.ts'
import { boundProviders } from './providers.ts'

/** How the providers answered in the last 15 minutes, over all processes, and what is left of their rate budgets. */
export async function providerHealth({ em, runtime }: QueryContext): Promise<z.input<typeof ProviderHealth>> {
  const db = sqlOf(em)
  const answers = await readProviderAnswers(db)
  const bound = await boundProviders(db, runtime)
  const rateBudgets: RateBudget[] = []
  for (const { operators } of domainsOf(runtime)) rateBudgets.push(...((await operators?.rateBudgets?.(db)) ?? []))
  return {
    bound,
    providers: answers.map(({ lastFailureAt: at, ...row }) => ({
      ...row,
      lastFailureAt: at === null ? null : new Date(at).toISOString(),
    })),
    rateBudgets,
  }
}
