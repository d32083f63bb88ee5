/** Saved views: filters of a list with a name, of a user or of the whole organisation. */
import { domain } from '@payments/platform'
import { entities } from './entity.ts'
import { errors } from './errors.ts'
import { migrations } from './migrations.ts'
import { viewsRouter } from './router.ts'

export const views = domain({
  name: 'views',
  api: {
    tags: [{ name: 'Views', description: 'Filters of the list of transactions, saved with a name', position: 111 }],
    router: { views: viewsRouter },
    errors,
  },
  data: { entities, migrations },
})
