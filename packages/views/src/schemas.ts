import { createdAt, id, items, pathId, shownName, total, updatedAt } from '@payments/kernel'
import { TransactionFilters } from '@payments/ledger'
import { z } from 'zod'

const VIEW = 35
const EXAMPLE = { kinds: ['collection'], statuses: ['failed', 'returned'] }

const name = shownName(60).meta({ description: 'Name of the view', example: 'Failed payments' })
const resource = z
  .enum(['transactions'])
  .meta({ description: 'The list whose filters it has', example: 'transactions' })
const shared = z
  .boolean()
  .meta({ description: 'True: all members of the organisation see it; false: only who saved it', example: true })
const filter = TransactionFilters.meta({ description: 'The filters, as a search takes them', example: EXAMPLE })

export const NewView = z.strictObject({ name, resource, shared: shared.default(false), filter })
export const ViewPatch = z.strictObject({
  viewId: pathId('view', VIEW),
  name: name.optional(),
  shared: shared.optional(),
  filter: filter.optional(),
})
export const ViewId = z.strictObject({ viewId: pathId('view', VIEW) })
export const View = z
  .object({
    id: id('view', VIEW),
    name,
    resource,
    shared,
    own: z.boolean().meta({ description: 'True when the view was saved by the caller', example: true }),
    filter,
    createdAt,
    updatedAt,
  })
  .meta({ id: 'View', description: 'Filters of a list, saved with a name' })
export const ViewList = z.object({ views: items('By name', View), total })
