import type { MoveDeclaration } from '@payments/platform'

/**
 * What becomes of accounts when an organisation moves to another cell. A person who is a member of others, too, is in both cells; sessions
 * end, since their tokens name this cell. Keys stay where the proxy may still send them, and are told to try again.
 */
export const moves: MoveDeclaration = {
  found: { organisations: 'id = $1', refresh_tokens: [{ column: 'session_id', of: 'sessions', key: 'id' }] },
  copied: ['organisations', 'memberships', 'api_keys'],
  merged: { users: 'email' },
  ended: ['sessions', 'refresh_tokens'],
  stays: {
    challenges: 'codes on their way to a mailbox',
    code_tries: 'what slows down guessing, by address',
    device_requests: 'live for minutes',
    email_sends: 'limits hold in each cell',
    internal_tokens: 'of operators',
    sign_in_addresses: 'of people, by the cell in which they signed in',
  },
  obstacles: {
    'There is no such organisation':
      'select count(*) filter (where not known) from (select exists (select from organisations where id = $1) as known) k',
    'The organisation of the operators stays': 'select count(*) from organisations where id = $1 and operator',
    'It has moved to another cell already': 'select count(*) from organisations where id = $1 and moved_to is not null',
    'It is not suspended: suspend it first, so that nothing new begins (payments ops organisations suspend)':
      'select count(*) from organisations where id = $1 and suspended_at is null',
  },
  present: {
    'It is in the other cell already': 'select count(*) from organisations where id = $1 and moved_to is null',
  },
  left: ['update organisations set moved_to = $2 where id = $1'],
  stayed: ['update organisations set moved_to = null where id = $1'],
}
