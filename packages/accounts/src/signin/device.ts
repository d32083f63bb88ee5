import { randomInt } from 'node:crypto'
import { errors as commonErrors, type Environment, type MemberRole, newId, secretInCell } from '@payments/kernel'
import {
  type CallContext,
  digest,
  publicUrl,
  type QueryContext,
  randomText,
  rowsOf,
  sqlOf,
  type UnitOfWork,
} from '@payments/platform'
import type { z } from 'zod'
import { DeviceRequestEntity, presentKey } from '../entity.ts'
import { errors } from '../errors.ts'
import { insertKey, mayCreateKey, requireForLive } from '../keys/keys.ts'
import type {
  DeviceAnswer,
  DeviceApproval,
  DeviceKey,
  DeviceRequest,
  DeviceStart,
  DeviceStarted,
  DeviceToken,
  UserCode,
} from '../schemas.ts'

/** No vowels, so that no code is a word (RFC 8628, section 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const MINUTES = 10
const INTERVAL_SECONDS = 5
/** A poll may be early by so much, because the network delays the one before it. */
const TOLERANCE_SECONDS = 1
const KEY_DAYS = 90

/**
 * Starts the sign-in of a program without a browser, by the device authorization grant (RFC 8628). The device code is in the reply and
 * is not stored.
 */
export async function startDevice(
  unit: UnitOfWork,
  { clientName }: z.output<typeof DeviceStart>,
  _prepared: undefined,
  { ip }: CallContext,
): Promise<z.input<typeof DeviceStarted>> {
  // It names the cell, to which the polls go.
  const deviceCode = secretInCell(randomText(43))
  const userCode = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  const createdAt = new Date()
  await unit.em.insert(DeviceRequestEntity, {
    id: newId(),
    digest: digest(deviceCode),
    userCode,
    clientName,
    address: ip ?? null,
    intervalSeconds: INTERVAL_SECONDS,
    polledAt: null,
    organisationId: null,
    environment: null,
    access: null,
    answeredBy: null,
    approvedAt: null,
    deniedAt: null,
    redeemedAt: null,
    expiresAt: new Date(createdAt.getTime() + MINUTES * 60_000),
    createdAt,
  })
  const page = `${publicUrl(unit.runtime.settings)}/dashboard/cli`
  return {
    deviceCode,
    userCode: shown(userCode),
    verificationUri: page,
    // RFC 8628, section 3.3.1, lets a link carry the code. A link with it, sent by a stranger, would need one click of the user only.
    verificationUriComplete: page,
    expiresIn: MINUTES * 60,
    interval: INTERVAL_SECONDS,
  }
}

/**
 * Counts a poll, in a statement of its own, because it counts also when the request is refused. Too early a poll lengthens the interval by
 * five seconds.
 * @throws ServiceError 400 while there is nothing to redeem: `expired_token`, `access_denied`, `slow_down`, `authorization_pending`
 */
export async function checkPoll(context: QueryContext, { deviceCode }: z.output<typeof DeviceToken>): Promise<string> {
  const { rows } = await sqlOf(context.em).query<{ id: string; early: boolean; interval: number; state: string }>(
    `with found as (
       select id, coalesce(polled_at > now() - make_interval(secs => interval_seconds - $1), false) as early
         from device_requests where digest = $2 for update)
     update device_requests d
        set polled_at = now(), interval_seconds = least(d.interval_seconds + case when found.early then 5 else 0 end, 60)
       from found where d.id = found.id
     returning d.id, found.early, d.interval_seconds as interval,
       case when d.redeemed_at is not null or d.expires_at <= now() then 'ended' when d.denied_at is not null then 'denied'
            when d.approved_at is null then 'pending' else 'approved' end as state`,
    [TOLERANCE_SECONDS, digest(deviceCode)],
  )
  const [row] = rows
  if (!row || row.state === 'ended') throw errors.expired_token()
  if (row.state === 'denied') throw errors.access_denied()
  if (row.early) throw errors.slow_down({ retryAfter: row.interval })
  if (row.state === 'pending') throw errors.authorization_pending({ retryAfter: row.interval })
  return row.id
}

/**
 * Creates the key that was approved, and returns it: the only time that it is shown. Redemption and key are one commit, so that a
 * request is redeemed once, whatever crashes: a reply that is lost leaves a key that nobody has, which the list of keys shows as never used.
 * @throws ServiceError 400 when it was redeemed in the meantime, or when its user may not create this key any more; 409 when the
 * organisation has 100 active keys.
 */
export async function redeemDevice(
  unit: UnitOfWork,
  _input: z.output<typeof DeviceToken>,
  id: string,
): Promise<z.input<typeof DeviceKey>> {
  const [approved] = await rowsOf<{
    organisationId: string
    environment: Environment
    access: 'read' | 'read_write'
    answeredBy: string
    clientName: string
  }>(
    unit,
    DeviceRequestEntity,
    `update device_requests set redeemed_at = now()
      where id = $1 and approved_at is not null and redeemed_at is null and expires_at > now()
     returning organisation_id, environment, access, answered_by, client_name`,
    [id],
  )
  if (!approved) throw errors.expired_token()
  const { organisationId, environment, access, answeredBy: userId, clientName: name } = approved
  const organisationName = await organisationOf(unit, { organisationId, userId, environment })
  const expiresAt = new Date(Date.now() + KEY_DAYS * 86_400_000)
  const { row, key } = await insertKey(
    unit,
    { organisationId, createdBy: userId },
    { name, environment, type: 'secret', access, expiresAt: expiresAt.toISOString(), allowedIps: null },
  )
  return { ...presentKey(row), key, organisationName }
}

/** The name of the organisation, if its member may still create such a key there. The membership stays until the commit. */
async function organisationOf(
  unit: UnitOfWork,
  { organisationId, userId, environment }: { organisationId: string; userId: string; environment: Environment },
): Promise<string> {
  const { rows } = await sqlOf(unit.em).query<{ name: string; role: MemberRole | 'operator' }>(
    `select o.name, m.role from memberships m join organisations o on o.id = m.organisation_id
      where m.organisation_id = $1 and m.user_id = $2 and o.suspended_at is null for share of m`,
    [organisationId, userId],
  )
  const [member] = rows
  if (!member || !mayCreateKey(member.role, environment)) throw errors.access_denied()
  return member.name
}

/** What waits for an answer under a code that the user typed. @throws ServiceError 404 where nothing does */
export async function findDevice(
  context: QueryContext,
  { userCode }: z.output<typeof UserCode>,
): Promise<z.input<typeof DeviceRequest>> {
  const row = await context.em.findOne(DeviceRequestEntity, waiting(userCode))
  if (!row) throw errors.device_request_not_found()
  return {
    userCode: shown(row.userCode),
    clientName: row.clientName,
    address: row.address ?? null,
    expiresAt: row.expiresAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
  }
}

/**
 * Allows the program to receive a key of the session's organisation, once.
 * @throws ServiceError 404 where nothing waits under the code; 403 for a live key without an owner, a confirmed session or live access
 */
export async function approveDevice(
  unit: UnitOfWork,
  { userCode, environment, access }: z.output<typeof DeviceApproval>,
): Promise<z.input<typeof DeviceAnswer>> {
  await requireForLive(unit, environment)
  const { organisationId, userId } = unit.actor
  if (!userId) throw commonErrors.session_required()
  await answer(unit, userCode, { approvedAt: new Date(), organisationId, environment, access, answeredBy: userId })
  return { status: 'approved' }
}

/** Refuses the program. @throws ServiceError 404 where nothing waits under the code */
export async function denyDevice(
  unit: UnitOfWork,
  { userCode }: z.output<typeof UserCode>,
): Promise<z.input<typeof DeviceAnswer>> {
  await answer(unit, userCode, { deniedAt: new Date(), answeredBy: unit.actor.userId ?? null })
  return { status: 'denied' }
}

/** A request is answered once. */
async function answer(unit: UnitOfWork, userCode: string, given: object): Promise<void> {
  if ((await unit.em.nativeUpdate(DeviceRequestEntity, waiting(userCode), given)) !== 1)
    throw errors.device_request_not_found()
}

const waiting = (userCode: string) => ({
  userCode: userCode.replace('-', ''),
  approvedAt: null,
  deniedAt: null,
  expiresAt: { $gt: new Date() },
})

/** `WDJB-MJHT` of `WDJBMJHT`. */
const shown = (userCode: string): string => `${userCode.slice(0, 4)}-${userCode.slice(4)}`
