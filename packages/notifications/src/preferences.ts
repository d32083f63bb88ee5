import { invalid } from '@payments/kernel'
import { notificationTypesOf, type QueryContext, sqlOf, type UnitOfWork } from '@payments/platform'
import type { z } from 'zod'
import { PreferenceEntity } from './entity.ts'
import type { PreferenceChanges, Preferences } from './schemas.ts'

type Shown = z.infer<typeof Preferences>

/** What the user of this session chose for each type, in this organisation; the default where nothing was chosen. */
export async function preferences(context: QueryContext): Promise<Shown> {
  const { organisationId, userId } = context.actor
  const rows = userId ? await context.em.find(PreferenceEntity, { organisationId, userId }) : []
  const chosen = new Map(rows.map((row) => [row.type, row]))
  const shown = Object.entries(notificationTypesOf(context.runtime.domains))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, { description, email }]) => {
      const own = chosen.get(type)
      return { type, description, inApp: own?.inApp ?? true, email: own?.email ?? email }
    })
  return { preferences: shown, total: shown.length }
}

/**
 * Changes what is given and leaves the rest. Applies to notifications that are shown or emailed from now on.
 * @throws ServiceError 422 for an unknown type and for a type that is named twice.
 */
export async function changePreferences(
  unit: UnitOfWork,
  { preferences: changes }: z.output<typeof PreferenceChanges>,
): Promise<Shown> {
  const types = notificationTypesOf(unit.runtime.domains)
  const problems = Object.fromEntries(
    changes.flatMap(({ type }, index) => {
      if (!Object.hasOwn(types, type)) return [[`preferences.${index}.type`, `Unknown notification type "${type}"`]]
      const repeated = changes.findIndex((each) => each.type === type) < index
      return repeated ? [[`preferences.${index}.type`, 'Must not be given twice']] : []
    }),
  )
  if (Object.keys(problems).length > 0) throw invalid(problems)
  const { organisationId, userId } = unit.actor
  await sqlOf(unit.em).query(
    `insert into notification_preferences as p (organisation_id, user_id, type, in_app, email)
     select $1, $2, given.* from unnest($3::text[], $4::boolean[], $5::boolean[]) as given (type, in_app, email) order by type
     on conflict (organisation_id, user_id, type)
     do update set in_app = coalesce(excluded.in_app, p.in_app), email = coalesce(excluded.email, p.email)`,
    [
      organisationId,
      userId,
      changes.map(({ type }) => type),
      changes.map(({ inApp }) => inApp ?? null),
      changes.map(({ email }) => email ?? null),
    ],
  )
  return preferences(unit)
}

/** The types that the user of a session does not want to see; an API key sees every type. */
export async function hiddenTypes({ em, actor }: QueryContext): Promise<string[]> {
  const { organisationId, userId, kind } = actor
  if (kind !== 'session' || !userId) return []
  const rows = await em.find(PreferenceEntity, { organisationId, userId, inApp: false }, { fields: ['type'] })
  return rows.map(({ type }) => type)
}
