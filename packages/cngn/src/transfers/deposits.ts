import { newId } from '@payments/kernel'
import { createResource, type QueryContext, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { readFeedSoon } from '../customers/read-feed.ts'
import { checkEnabled, cngnNetwork } from '../customers/rules.ts'
import { blank, type TransferRow } from '../entity.ts'
import { heldBy } from '../provider/holder.ts'
import { customerAccountsProvider } from '../provider/provider.ts'
import { budgetOf } from '../provider/rate-budget.ts'
import { transferResources } from '../resources/resources.ts'
import type { NewDeposit } from '../schemas.ts'

type Input = z.output<typeof NewDeposit>

/** A checked request with a new address. */
export interface PreparedDeposit {
  readonly id: string
  readonly networkKey: string
  readonly opened: { readonly address: string; readonly expiresAt: Date }
}

/**
 * Checks a request and asks the provider for an address, before any transaction.
 * @throws validation_failed 422, cngn_not_enabled 409, and the provider's 502 and 503
 */
export async function prepareDeposit(context: QueryContext, input: Input): Promise<PreparedDeposit> {
  const { environment } = context.actor
  const provider = await context.runtime.providers.for(customerAccountsProvider, environment)
  const { key: networkKey } = cngnNetwork(input.networkKey)
  await checkEnabled(context, input.customerId)
  const id = newId()
  return { id, networkKey, opened: await provider.depositAddress({ id, networkKey }, budgetOf(context, environment)) }
}

/** Creates the prepared deposit: an object that waits for its first deposit. */
export function createDeposit(
  unit: UnitOfWork,
  input: Input,
  { id, networkKey, opened }: PreparedDeposit,
): TransferRow {
  const row = createResource(unit, transferResources.deposit, {
    ...blank,
    id,
    organisationId: unit.actor.organisationId,
    environment: unit.actor.environment,
    kind: 'deposit',
    customerId: input.customerId,
    ...heldBy(unit),
    metadata: input.metadata ?? {},
    receiveAt: opened.address,
    receiveNetworkKey: networkKey,
    expiresAt: opened.expiresAt,
    dueAt: opened.expiresAt,
    networkKey,
  })
  readFeedSoon(unit, row)
  return row
}
