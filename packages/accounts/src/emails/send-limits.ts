import { addressBlock, lockName, sqlOf, type UnitOfWork } from '@payments/platform'
import { errors } from '../errors.ts'

/** What an email is for. Each kind has limits of its own, so that none can use up another's. */
export type EmailKind = 'code' | 'invitation' | 'confirm'

const PER_PAIR = 5
const PER_EMAIL = 20
const RESERVED = 5
/** For how many days a client address of a sign-in counts as known. */
export const KNOWN_DAYS = 90

interface Counts {
  pair: number
  total: number
  reserved: number
  known: boolean
  wait: number
}

/**
 * Counts an email before it is sent. Each kind: 5 an hour for a pair of email address and client address, and 20 an hour
 * for an email address from all client addresses (IPv6: by the /64). 5 more an hour are reserved for client addresses from which the
 * owner of the email address signed in during the last 90 days, so that a stranger cannot prevent a sign-in. Parallel requests
 * are counted one after another.
 * @throws ServiceError 429 when the limit is reached. Then nothing is sent and nothing is counted.
 */
export async function countEmail(
  unit: UnitOfWork,
  { kind, email, address: client }: { kind: EmailKind; email: string; address: string | undefined },
): Promise<void> {
  const address = addressBlock(client ?? '')
  const db = sqlOf(unit.em)
  await lockName(db, `emails:${email}`)
  const { rows } = await db.query<Counts>(
    `select count(*) filter (where address = $1 and not reserved)::int as pair,
            count(*) filter (where not reserved)::int as total,
            count(*) filter (where reserved)::int as reserved,
            ceil(coalesce(extract(epoch from min(sent_at) + interval '1 hour' - now()), 3600))::int as wait,
            exists (select from sign_in_addresses a join users u on u.id = a.user_id
                     where u.email = $2 and a.address = $1 and a.signed_in_at > now() - make_interval(days => $3)) as known
       from email_sends where email = $2 and kind = $4 and sent_at > now() - interval '1 hour'`,
    [address, email, KNOWN_DAYS, kind],
  )
  const { pair, total, reserved, known, wait } = rows[0] as Counts
  const open = pair < PER_PAIR && total < PER_EMAIL
  if (!open && !(known && reserved < RESERVED)) throw errors.too_many_emails({ retryAfter: Math.max(1, wait) })
  await db.query(
    `insert into email_sends (kind, email, address, reserved, organisation_id, sent_at)
     values ($1, $2, $3, $4, $5, clock_timestamp())`,
    [kind, email, address, !open, kind === 'invitation' ? unit.actor.organisationId : null],
  )
}

/** Remembers the client address of a sign-in, for the reserved part of {@link countEmail}. */
export async function rememberAddress(unit: UnitOfWork, userId: string, address: string | undefined): Promise<void> {
  if (!address) return
  await sqlOf(unit.em).query(
    `insert into sign_in_addresses (user_id, address, signed_in_at) values ($1, $2, now())
     on conflict (user_id, address) do update set signed_in_at = excluded.signed_in_at`,
    [userId, addressBlock(address)],
  )
}
