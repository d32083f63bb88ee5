import type { MoveDeclaration } from '@payments/platform'

/**
 * What becomes of events and deliveries when an organisation moves to another cell: all of them move, with what waits to be sent. Positions of
 * streams are numbers of each cell: the next ones are above those that came.
 */
export const moves: MoveDeclaration = {
  found: { webhook_changes: [{ column: 'endpoint_id', of: 'webhook_endpoints', key: 'id' }] },
  ended: ['event_streams'],
  arrived: [
    "select pg_advisory_xact_lock(hashtextextended('events.position', 0)) where $1::uuid is not null",
    `select setval('events_position', came.most / 1000 + 1)
       from (select max(position) as most from events where organisation_id = $1) came, events_position s
      where came.most / 1000 >= s.last_value`,
  ],
}
