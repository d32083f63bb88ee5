import { deviceName, environments } from '@payments/kernel'
import { notify } from '@payments/notifications'
import { addressBlock, type CallContext, sqlOf, type UnitOfWork } from '@payments/platform'
import { sendEmail } from '../emails/email.ts'
import { newDeviceEmail, serviceOf } from '../emails/email-texts.ts'
import type { OrganisationSummary, UserSummary } from '../organisations/members.ts'
import { deviceOf } from '../sessions/sessions.ts'

const EMAIL_HOURS = 24

/**
 * Is the sign-in from a device or a network that the user has not signed in from? A new version of the same browser is the
 * same device, a neighbour in the same IPv6 /64 the same network. Not for the first sign-in of a
 * user. Ask before the sign-in itself is stored. Devices are known as long as their sessions are kept, networks for 90 days: after a
 * longer absence every device is new.
 */
export async function isNewDevice(unit: UnitOfWork, userId: string, call: CallContext): Promise<boolean> {
  const { rows } = await sqlOf(unit.em).query<{ device: boolean; network: boolean }>(
    `select exists (select from sessions where user_id = $1
                     and regexp_replace(coalesce(device, ''), '[0-9.]+', '', 'g') = regexp_replace($2, '[0-9.]+', '', 'g')) as device,
            exists (select from sign_in_addresses where user_id = $1 and address = $3) as network`,
    [userId, deviceOf(call) ?? '', addressBlock(call.ip ?? '')],
  )
  const { device, network } = rows[0] as (typeof rows)[number]
  return !(device && network)
}

/**
 * Tells the organisation, in both environments, because a session works in both, and emails the user, who may be the only
 * one who knows that it was a stranger. Both exist exactly when the sign-in is committed.
 */
export async function reportNewDevice(
  unit: UnitOfWork,
  { id: organisationId }: OrganisationSummary,
  user: UserSummary,
  { sessionId, call }: { sessionId: string; call: CallContext },
): Promise<void> {
  const device = deviceName(deviceOf(call))
  const address = call.ip ?? 'an unknown address'
  for (const environment of environments)
    notify(unit, {
      organisationId,
      environment,
      type: 'session.new_device',
      title: 'Sign-in from a new device',
      body: `${user.email} signed in from a device or network not used before: ${device}, at ${address}.`,
      resource: { type: 'session', id: sessionId },
    })
  const until = new Date(Date.now() + EMAIL_HOURS * 3_600_000).toISOString()
  const text = newDeviceEmail(serviceOf(unit.runtime.settings), user.email, { device, address, time: new Date() })
  await sendEmail(unit, { ...text, deliver: true, until })
}
