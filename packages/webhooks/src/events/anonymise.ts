import { sqlOf, type UnitOfWork } from '@payments/platform'

/**
 * Replaces one field of `data` in the events of objects of the actor's tenant, where they have it, to erase personal data. What was
 * delivered before cannot be taken back; what is delivered or read from now on does not have it.
 */
export async function replaceInEvents(
  unit: UnitOfWork,
  of: { readonly ids: readonly string[]; readonly field: readonly string[]; readonly value: unknown },
): Promise<void> {
  if (of.ids.length === 0) return
  await sqlOf(unit.em).query(
    `update events set payload = jsonb_set(payload::jsonb, $4::text[], $5::jsonb)::json
      where resource_id = any ($1::uuid[]) and organisation_id = $2 and environment = $3 and payload::jsonb #> $4::text[] is not null`,
    [of.ids, unit.actor.organisationId, unit.actor.environment, ['data', ...of.field], JSON.stringify(of.value)],
  )
}
