import { operatorCommand, query, type UnitOfWork } from '@payments/platform'
import { z } from 'zod'
import { type OrganisationRow, presentOrganisation } from './entity.ts'
import { errors } from './errors.ts'
import {
  enableLive,
  findOrganisation,
  listOrganisations,
  organisationDetails,
  reactivate,
  suspend,
} from './organisations.ts'
import { AdminOrganisation, OrganisationDetails, OrganisationId, OrganisationList } from './schemas.ts'

const Nothing = z.strictObject({})
const tag = 'Organisations'

/** Operations on organisations, for operators. */
export const organisationsRouter = {
  list: query({
    rest: 'GET /admin/ops/organisations',
    access: 'operator',
    tag,
    summary: 'List organisations',
    description: 'The newest 200. `total` counts all.',
    message: 'Organisations retrieved',
    input: Nothing,
    output: OrganisationList,
    async run(context) {
      const { rows, total } = await listOrganisations(context)
      return { organisations: rows.map(presentOrganisation), total }
    },
  }),
  get: query({
    rest: 'GET /admin/ops/organisations/{organisationId}',
    access: 'operator',
    tag,
    summary: 'Get an organisation with its members',
    description: 'With its suspension and live access.',
    message: 'Organisation retrieved',
    input: OrganisationId,
    output: OrganisationDetails,
    errors: [errors.organisation_not_found],
    run: (context, { organisationId }) => organisationDetails(context, organisationId),
  }),
  suspend: operatorCommand({
    rest: 'POST /admin/ops/organisations/{organisationId}/suspend',
    tag,
    summary: 'Suspend an organisation',
    description:
      'From the next request on, the organisation may sign in, read, and revoke keys and sessions, nothing else.',
    message: 'Organisation suspended',
    input: OrganisationId,
    output: AdminOrganisation,
    errors: [errors.organisation_not_found, errors.operators_stay],
    reason: 'optional',
    run: (unit, { organisationId, reason }) =>
      changed(unit, organisationId, () => suspend(unit, organisationId, reason ?? null)),
  }),
  enableLive: operatorCommand({
    rest: 'POST /admin/ops/organisations/{organisationId}/enable-live',
    tag,
    summary: 'Enable live access for an organisation',
    description: 'Needed where the setting LIVE_ACCESS is `approved`.',
    message: 'Live access enabled',
    input: OrganisationId,
    output: AdminOrganisation,
    errors: [errors.organisation_not_found],
    reason: 'optional',
    run: (unit, { organisationId }) => changed(unit, organisationId, () => enableLive(unit, organisationId)),
  }),
  reactivate: operatorCommand({
    rest: 'POST /admin/ops/organisations/{organisationId}/reactivate',
    tag,
    summary: 'Lift the suspension of an organisation',
    description: 'It may use the service again from the next request on.',
    message: 'Organisation reactivated',
    input: OrganisationId,
    output: AdminOrganisation,
    errors: [errors.organisation_not_found],
    reason: 'optional',
    run: (unit, { organisationId }) => changed(unit, organisationId, () => reactivate(unit, organisationId)),
  }),
}

/** A change of an organisation, with what it was before. */
async function changed(unit: UnitOfWork, id: string, change: () => Promise<OrganisationRow>) {
  const before = presentOrganisation(await findOrganisation(unit, id))
  return { reply: presentOrganisation(await change()), subject: { id, organisationId: id }, before }
}
