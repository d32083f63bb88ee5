import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { TransactionFilters } from '@payments/ledger'
import { foreignKeys, index, keyedByTenant, ofOrganisation, tenant, tenantFilter, times } from '@payments/platform'

export const ViewEntity = defineEntity({
  name: 'SavedView',
  tableName: 'saved_views',
  filters: tenantFilter,
  properties: {
    id: p.uuid().primary(),
    ...tenant(),
    userId: p.uuid(),
    /** All members see it. */
    shared: p.boolean(),
    name: p.text(),
    resource: p.enum(['transactions']),
    filter: p.json().$type<TransactionFilters>(),
    ...times(),
  },
  ...keyedByTenant,
  indexes: [index('saved_views_of_organisation', ['organisationId', 'environment', 'name'])],
  // A user who leaves takes nothing away that the others use.
  ...foreignKeys(ofOrganisation, { columns: ['user_id'], table: 'users', referenced: ['id'] }),
})
export type ViewRow = InferEntity<typeof ViewEntity>
export const entities = [ViewEntity]
