import { lookupsOf, type QueryContext, sqlOf, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { DEFAULT_POLICY, mergePolicy, type PaymentPolicy, type PaymentPolicyPatch } from '../terms/policy.ts'

/** The policy of new collections of the actor's tenant. */
export async function defaultPolicy(context: QueryContext, { lock = false } = {}): Promise<PaymentPolicy> {
  const { actor } = context
  const { rows } = await lookupsOf(context).query<{ policy: PaymentPolicy }>(
    `select policy from collection_policies where organisation_id = $1 and environment = $2${lock ? ' for update' : ''}`,
    [actor.organisationId, actor.environment],
  )
  return rows[0]?.policy ?? DEFAULT_POLICY
}

/**
 * Changes the policy of new collections; existing ones keep theirs. A change to `return` sets the tolerance to 0.
 * @throws validation_failed 422 for a tolerance with `return`
 */
export async function changePolicy(
  unit: UnitOfWork,
  change: z.output<typeof PaymentPolicyPatch>,
): Promise<PaymentPolicy> {
  const { organisationId, environment } = unit.actor
  const db = sqlOf(unit.em)
  await db.query(
    `insert into collection_policies (organisation_id, environment, policy) values ($1, $2, $3)
     on conflict (organisation_id, environment) do nothing`,
    [organisationId, environment, JSON.stringify(DEFAULT_POLICY)],
  )
  const policy = mergePolicy(await defaultPolicy(unit, { lock: true }), change)
  await db.query(
    `update collection_policies set policy = $3, updated_at = now() where organisation_id = $1 and environment = $2`,
    [organisationId, environment, JSON.stringify(policy)],
  )
  return policy
}
