import { command, query } from '@payments/kernel'
import { z } from 'zod'
import { presentOrganisation } from './entity.ts'
import { listOrganisations, organisationDetails, reactivate, suspend } from './organisations.ts'
import { no } from './refusals.ts'
import { OperatedOrganisation, OrganisationDetails, OrganisationId, OrganisationList, Suspension } from './schemas.ts'

const Nothing = z.strictObject({})
const tag = 'Operations'

/** What operators do with organisations. */
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
    async run(read) {
      const { rows, total } = await listOrganisations(read)
      return { organisations: rows.map(presentOrganisation), total }
    },
  }),
  get: query({
    rest: 'GET /admin/ops/organisations/{organisationId}',
    access: 'operator',
    tag,
    summary: 'Get an organisation with its members',
    message: 'Organisation retrieved',
    input: OrganisationId,
    output: OrganisationDetails,
    refusals: [no.organisation_not_found],
    run: (read, { organisationId }) => organisationDetails(read, organisationId),
  }),
  suspend: command({
    rest: 'POST /admin/ops/organisations/{organisationId}/suspend',
    access: 'operator',
    tag,
    summary: 'Suspend an organisation',
    description: 'From the next request on it may sign in and read, nothing else.',
    message: 'Organisation suspended',
    input: Suspension,
    output: OperatedOrganisation,
    refusals: [no.organisation_not_found, no.operators_stay],
    run: async (work, { organisationId, reason }) =>
      presentOrganisation(await suspend(work, organisationId, reason ?? null)),
  }),
  reactivate: command({
    rest: 'POST /admin/ops/organisations/{organisationId}/reactivate',
    access: 'operator',
    tag,
    summary: 'Lift the suspension of an organisation',
    message: 'Organisation reactivated',
    input: OrganisationId,
    output: OperatedOrganisation,
    refusals: [no.organisation_not_found],
    run: async (work, { organisationId }) => presentOrganisation(await reactivate(work, organisationId)),
  }),
}
