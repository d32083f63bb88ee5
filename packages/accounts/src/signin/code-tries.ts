import { newId } from '@payments/kernel'
import {
  addressBlock,
  type CallContext,
  lockName,
  type QueryContext,
  sqlOf,
  type UnitOfWork,
  unitOfWork,
} from '@payments/platform'
import { sendEmail } from '../emails/email.ts'
import { serviceOf, wrongCodesEmail } from '../emails/email-texts.ts'
import { KNOWN_DAYS } from '../emails/send-limits.ts'
import { CodeTryEntity, UserEntity } from '../entity.ts'
import { errors } from '../errors.ts'

/** So many wrong codes a day, from one place, are typing errors. Each further one has to wait. */
export const FREE_WRONG_CODES = 10
const FIRST_WAIT_SECONDS = 60
/** Two codes of an hour's emails could be tried 100 times without this; with it, about 16 times, and 150 times a day. */
const LONGEST_WAIT_SECONDS = 600
const WARNING_HOURS = 24

interface Tries {
  wrong: number
  warned: boolean
  wrongHere: number
  elapsed: number | null
}

/** A challenge whose code may be tried, and where: in a session, or from a client address. */
export interface TriedChallenge {
  readonly email: string
  readonly sessionId?: string
  readonly address?: string | undefined
}

/**
 * Tries a code, one after another for each account, and keeps the result for a day, also when the request fails: `attempt`
 * counts the try on its challenge and says whether the code is right. Wrong codes beyond {@link FREE_WRONG_CODES} in 24 hours slow
 * down those who come from the same place: an address from which the user signed in during the last 90 days is a place of its own, so is
 * a session, and all strangers together are one. So nobody else can slow down the owner where the owner is known. The owner is warned
 * by email once a day.
 * @returns what `attempt` returned; undefined for a wrong code or a challenge that cannot be tried.
 * @throws ServiceError 429 before a try that comes too early. It does not count.
 */
export async function tryCode<T>(
  context: QueryContext,
  tried: TriedChallenge,
  attempt: (unit: UnitOfWork) => Promise<{ readonly right: boolean; readonly challenge: T } | undefined>,
): Promise<T | undefined> {
  const { email } = tried
  return unitOfWork(context, async (unit) => {
    await lockName(sqlOf(unit.em), `code-tries:${email}`)
    const place = await placeOf(unit, tried)
    const before = await triesOf(unit, email, place)
    const wait = waitAfter(before)
    if (wait > 0) throw errors.too_many_wrong_codes({ retryAfter: wait })
    const result = await attempt(unit)
    if (!result) return undefined
    const warns = !result.right && before.wrong + 1 >= FREE_WRONG_CODES && !before.warned
    await unit.em.insert(CodeTryEntity, {
      id: newId(),
      email,
      place,
      wrong: !result.right,
      warned: warns,
      triedAt: new Date(),
    })
    if (warns) await warnOwner(unit, email)
    return result.right ? result.challenge : undefined
  })
}

/** The client address of a call, as {@link TriedChallenge} needs it. */
export const addressOf = ({ ip }: CallContext): string => addressBlock(ip ?? '')

async function placeOf(unit: UnitOfWork, { email, sessionId, address }: TriedChallenge): Promise<string> {
  if (sessionId) return `session ${sessionId}`
  const { rows } = await sqlOf(unit.em).query(
    `select from sign_in_addresses a join users u on u.id = a.user_id
      where u.email = $1 and a.address = $2 and a.signed_in_at > now() - make_interval(days => $3)`,
    [email, address ?? '', KNOWN_DAYS],
  )
  return rows.length > 0 ? `address ${address}` : 'elsewhere'
}

async function triesOf(unit: UnitOfWork, email: string, place: string): Promise<Tries> {
  const { rows } = await sqlOf(unit.em).query<Tries>(
    `select count(*) filter (where wrong)::int as wrong,
            coalesce(bool_or(warned), false) as warned,
            count(*) filter (where wrong and place = $1)::int as "wrongHere",
            extract(epoch from clock_timestamp() - max(tried_at) filter (where wrong and place = $1))::float8 as elapsed
       from code_tries where email = $2 and tried_at > now() - interval '24 hours'`,
    [place, email],
  )
  return rows[0] as Tries
}

/** Seconds until the next try. */
function waitAfter({ wrongHere, elapsed }: Tries): number {
  if (wrongHere < FREE_WRONG_CODES) return 0
  const pause = Math.min(FIRST_WAIT_SECONDS * 2 ** (wrongHere - FREE_WRONG_CODES), LONGEST_WAIT_SECONDS)
  return Math.max(0, Math.ceil(pause - (elapsed ?? 0)))
}

/** For an unknown address the email is queued and then discarded, so that the work is the same. */
async function warnOwner(unit: UnitOfWork, email: string): Promise<void> {
  const isKnown = (await unit.em.count(UserEntity, { email })) > 0
  const until = new Date(Date.now() + WARNING_HOURS * 3_600_000).toISOString()
  await sendEmail(unit, {
    ...wrongCodesEmail(serviceOf(unit.runtime.settings), email, new Date()),
    deliver: isKnown,
    until,
  })
}
