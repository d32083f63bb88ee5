import { type Environment, system } from '@payments/kernel'
import { notify } from '@payments/notifications'
import { unitOfWork } from '@payments/platform'
import { expect, test } from 'vitest'
import { call, foundOrganisation, signedIn, useService } from '#testing'
import { notificationEmailsJob } from './notification-emails.ts'

const service = useService()

const create = (organisationId: string, type: string, title: string, environment: Environment = 'test') =>
  unitOfWork(
    { runtime: service.runtime, actor: system(organisationId, environment), log: service.runtime.log },
    async (unit) =>
      notify(unit, {
        ...{ organisationId, environment, type, title, body: `About ${title}` },
        resource: { type: 'organisation', id: organisationId },
      }),
  )
const run = () => notificationEmailsJob.run(service.runtime, {}, new AbortController().signal)

interface Queued {
  to: string
  subject: string
  text: string
}
/** The queued emails to an address, decrypted, the oldest first. */
async function queuedTo(email: string): Promise<Queued[]> {
  const { rows } = await service.runtime.pool.query<{ box: string }>(
    "select data->>'box' as box from pgboss.job where name = 'accounts.mail' order by created_on, id",
  )
  return rows
    .map(({ box }) => JSON.parse(service.runtime.keyring.decrypt(box, 'mail')) as Queued)
    .filter(({ to }) => to === email)
}

/** An organisation with an owner and a member. */
async function organisation() {
  const organisationId = await foundOrganisation(service.runtime)
  const owner = await signedIn(service.runtime, { organisationId, role: 'owner' })
  const member = await signedIn(service.runtime, { organisationId, role: 'member' })
  return { organisationId, owner, member }
}

test('an important notification is emailed once to each member of its organisation, another only to who asked for it', async () => {
  const { organisationId, owner, member } = await organisation()
  const stranger = await organisation()
  await call(service, 'PATCH /v1/auth/notification-preferences', {
    token: member.accessToken,
    body: {
      preferences: [
        { type: 'money.received', email: true },
        { type: 'payout.failed', email: false },
      ],
    },
  })
  await create(organisationId, 'payout.failed', 'Payout failed')
  await create(organisationId, 'money.received', 'Money received')
  await Promise.all([run(), run()])
  await run()
  expect(await queuedTo(owner.email)).toMatchObject([{ subject: '[Test] Payout failed' }])
  expect(await queuedTo(member.email)).toMatchObject([{ subject: '[Test] Money received' }])
  expect(await queuedTo(stranger.owner.email)).toEqual([])
})

test('what comes up together is one email for each environment', async () => {
  const { organisationId, owner } = await organisation()
  for (let n = 1; n <= 25; n++) await create(organisationId, 'payout.failed', `Payout ${n} failed`)
  await create(organisationId, 'payout.failed', 'Live payout failed', 'live')
  await run()
  const emails = await queuedTo(owner.email)
  expect(emails.map(({ subject }) => subject).sort()).toEqual(['Live payout failed', '[Test] 25 notifications'])
  const text = emails.find(({ subject }) => subject.startsWith('[Test]'))?.text
  expect(text).toContain('About Payout 1 failed')
  expect(text).toContain('And 5 more')
})

test('a crash before the emails are queued leaves them due, and one after it sends none twice', async () => {
  const { organisationId, owner } = await organisation()
  await create(organisationId, 'payout.failed', 'Payout failed')
  const { keyring } = service.runtime
  const broken = {
    ...service.runtime,
    keyring: {
      ...keyring,
      encrypt: () => {
        throw new Error('crashed')
      },
    },
  }
  const crashed = notificationEmailsJob.run(broken, {}, new AbortController().signal)
  await expect(crashed).rejects.toThrow('crashed')
  expect(await queuedTo(owner.email)).toEqual([])
  await run()
  await run()
  expect(await queuedTo(owner.email)).toHaveLength(1)
})

test('who left the organisation gets no more emails about it', async () => {
  const { organisationId, owner, member } = await organisation()
  await call(service, 'PATCH /v1/auth/notification-preferences', {
    token: member.accessToken,
    body: { preferences: [{ type: 'money.received', email: true }] },
  })
  await create(organisationId, 'payout.failed', 'Payout failed')
  const removed = await call(service, `DELETE /v1/auth/members/${member.userId}`, {
    token: owner.accessToken,
    key: null,
  })
  expect(removed.status).toBe(200)
  await run()
  expect(await queuedTo(member.email)).toEqual([])
  expect(await queuedTo(owner.email)).toHaveLength(1)
})
