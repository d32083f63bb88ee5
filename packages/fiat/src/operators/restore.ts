import { environments } from '@payments/kernel'
import type { ForgottenTime, RestoreDeclaration, Runtime } from '@payments/platform'
import { everyFiatProvider } from '../provider/providers.ts'

/**
 * Finds the orders that a provider has since then and the database has forgotten. They cannot be created again: the list does not name
 * the organisation. Nor do they need to be stopped: the provider pays the account that it was given, once it has the payer's money.
 */
async function compare(runtime: Runtime, { from }: ForgottenTime): Promise<readonly string[]> {
  const findings: string[] = []
  for (const environment of environments)
    for (const { name, ordersSince } of everyFiatProvider(runtime, environment)) {
      const listed = (await ordersSince?.(from)) ?? []
      const { rows } = await runtime.pool.query<{ id: string }>(
        'select id from offramps where id::text = any ($1) union all select id from onramps where id::text = any ($1)',
        [listed.map(({ reference }) => reference)],
      )
      const known = new Set(rows.map(({ id }) => id))
      for (const { reference, providerOrderId, status, amount } of listed)
        if (!known.has(reference ?? ''))
          findings.push(
            `${name} (${environment}) has an order that the database does not have: ${providerOrderId}, ${reference ? `our reference ${reference}` : 'without a reference of ours'}, ${amount}, ${status}. It is paid out or returned there as usual; tell the organisation, which may have been answered`,
          )
    }
  return findings
}

export const restore: RestoreDeclaration = { compare }
