/** What operators do over all domains: find, see what needs them, act, and what they did. */
// Order, lowest first: errors, states, schemas, entity, approvals, overview, router, migrations.
import { domain } from '@payments/platform'
import { ApprovalEntity, ResolutionEntity } from './entity.ts'
import { errors } from './errors.ts'
import { migrations } from './migrations.ts'
import { operatorsRouter } from './router.ts'

export const operators = domain({
  name: 'operators',
  api: {
    tags: [
      { name: 'Operators', description: 'What needs an operator, safe actions, and what operators did', position: 195 },
    ],
    router: { admin: operatorsRouter },
    errors,
  },
  data: { entities: [ApprovalEntity, ResolutionEntity], migrations },
})

export { actionsRouter } from './approvals/actions-router.ts'
export type { Commands } from './approvals/commands.ts'
