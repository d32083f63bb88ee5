import { system } from '@payments/kernel'
import { checkLedger, trialBalance } from '@payments/ledger'
import { queryContext } from '@payments/platform'
import { expect } from 'vitest'
import type { TestService } from '../service/service.ts'
import { withoutLine } from '../service/status-lines.ts'

/** Balances of an organisation's journal that are not zero, by purpose and asset, in minor units. */
export async function journal(
  service: TestService,
  { organisationId, environment }: { readonly organisationId: string; readonly environment: 'test' | 'live' },
) {
  const context = queryContext(service.runtime, system(organisationId, environment))
  const lines = await trialBalance(context, organisationId)
  return Object.fromEntries(
    lines.filter(({ balance }) => balance !== '0').map((line) => [`${line.purpose} ${line.asset}`, line.balance]),
  )
}

/**
 * The whole ledger of the database is consistent, and agrees with every receipt; each status has its lines in the log of the service, unless
 * `others` have written too: a test itself, or processes that died or have logs of their own.
 */
export async function expectConsistent(service: TestService, writers?: 'others'): Promise<void> {
  expect((await checkLedger(service.runtime)).findings).toEqual([])
  if (writers !== 'others') await expect.poll(() => withoutLine(service)).toEqual([])
}
