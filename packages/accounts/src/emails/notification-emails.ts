import { anonymous, noInput } from '@payments/kernel'
import { claimEmails, type DueEmail, nextEmails } from '@payments/notifications'
import { job, sqlOf, type UnitOfWork, unitOfWork } from '@payments/platform'
import { sendEmail } from './email.ts'
import { notificationsEmail, serviceOf } from './email-texts.ts'

const BATCH = 200
const EMAIL_HOURS = 24

/**
 * Queues the emails of notifications, once a minute. What came up meanwhile is one email for each member and environment, so
 * that a merchant with many failures at once is not flooded.
 */
export const notificationEmailsJob = job({
  name: 'accounts.notification-emails',
  data: noInput,
  schedule: { everyMinutes: 1 },
  due: nextEmails,
  queue: { policy: 'short', expireInSeconds: 60 },
  async run(runtime, _data, signal) {
    let claimed = BATCH
    while (claimed === BATCH && !signal.aborted)
      claimed = await unitOfWork({ runtime, actor: anonymous, log: runtime.log }, queueBatch)
  },
})

async function queueBatch(unit: UnitOfWork): Promise<number> {
  const due = await claimEmails(unit, BATCH)
  if (due.length === 0) return 0
  const { rows: members } = await sqlOf(unit.em).query<Member>(
    `select m.organisation_id, m.user_id, u.email, o.name from memberships m
       join users u on u.id = m.user_id join organisations o on o.id = m.organisation_id
      where m.organisation_id = any ($1::uuid[]) and m.role <> 'operator' order by m.created_at, m.user_id`,
    [[...new Set(due.map(({ organisationId }) => organisationId))]],
  )
  const service = serviceOf(unit.runtime.settings)
  const until = new Date(Date.now() + EMAIL_HOURS * 3_600_000).toISOString()
  for (const member of members) {
    for (const [environment, notifications] of Object.entries(Object.groupBy(due, (each) => each.environment))) {
      const wanted = wantedBy(member, notifications)
      if (wanted.length === 0) continue
      const text = notificationsEmail(service, member.email, {
        ...{ organisation: member.name, environment, notifications: wanted },
      })
      await sendEmail(unit, { ...text, deliver: true, until })
    }
  }
  return due.length
}

interface Member {
  organisation_id: string
  user_id: string
  email: string
  name: string
}

const wantedBy = (member: Member, notifications: readonly DueEmail[] = []): DueEmail[] =>
  notifications.filter((each) => each.organisationId === member.organisation_id && each.wantedBy(member.user_id))
