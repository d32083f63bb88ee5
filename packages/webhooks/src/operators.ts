import type { OperatorsDeclaration } from '@payments/platform'

export const operators: OperatorsDeclaration = {
  attention: [
    {
      kind: 'event',
      sql: `select id, organisation_id, environment, 'set_aside' as status, 'stuck' as condition, set_aside_reason as reason, drained_at as since
              from events where set_aside_reason is not null`,
    },
  ],
}
