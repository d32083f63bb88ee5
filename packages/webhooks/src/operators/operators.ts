import { endings, type OperatorsDeclaration } from '@payments/platform'
import { endpointMachine } from '../states.ts'
import { holdings } from './holdings.ts'

const NO_MONEY = 'An endpoint holds no money: its owner enables, disables or deletes it'

export const operators: OperatorsDeclaration = {
  endings: [endings(endpointMachine, { enabled: NO_MONEY, disabled: NO_MONEY, revoked: NO_MONEY })],
  holdings,
  attention: [
    {
      kind: 'event',
      sql: `select id, organisation_id, environment, 'set_aside' as status, 'stuck' as condition, set_aside_reason as reason, drained_at as since
              from events where set_aside_reason is not null`,
    },
  ],
}
