/** What goes over all domains: one search, and what operators find, see, do and did. */
// Order, lowest first: errors, states, schemas, entity, approvals, overview, router, migrations.
import { domain } from '@payments/platform'
import { ApprovalEntity, ResolutionEntity } from './entity.ts'
import { errors } from './errors.ts'
import { migrations } from './migrations.ts'
import { operatorsRouter, searchRouter } from './router.ts'

export const operators = domain({
  name: 'operators',
  api: {
    tags: [
      { name: 'Search', description: 'One search over everything', position: 25 },
      { name: 'Operators', description: 'What needs an operator, safe actions, and what operators did', position: 195 },
    ],
    router: { admin: operatorsRouter, search: searchRouter },
    errors,
  },
  data: {
    entities: [ApprovalEntity, ResolutionEntity],
    migrations,
    moves: {
      stays: {
        operator_approvals: 'what operators of this cell ask of each other',
        operator_resolutions: 'what operators of this cell have dealt with',
      },
    },
  },
})

export { actionsRouter } from './approvals/actions-router.ts'
export type { Commands } from './approvals/commands.ts'
