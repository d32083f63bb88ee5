import { afterAll, expect, test } from 'vitest'
import { call, foundOrganisation, signedIn, signIn, startMailbox, useService } from '#testing'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useService({ worker: true, settings: { SMTP_URL: mailbox.url } })

/** A member, of another organisation too, who took an email address that the owner had invited. */
async function movedMember(email: string) {
  const organisationId = await foundOrganisation(service.runtime)
  const owner = await signedIn(service.runtime, { organisationId, role: 'owner' })
  const member = await signedIn(service.runtime, { organisationId, role: 'member' })
  const elsewhere = await foundOrganisation(service.runtime)
  await service.runtime.pool.query("insert into memberships values ($1, $2, 'owner', now())", [
    elsewhere,
    member.userId,
  ])
  const body = { email, role: 'owner' }
  const invited = await call(service, 'POST /v1/auth/invitations', { body, token: owner.accessToken, key: null })
  await service.runtime.pool.query('update users set email = $1 where id = $2', [email, member.userId])
  const invitationId: string = invited.body.data.id
  const accept = (token: string) =>
    call(service, `POST /v1/auth/invitations/${invitationId}/accept`, { token, key: null })
  const received = async (token: string) =>
    (await call(service, 'GET /v1/auth/invitations/received', { token })).body.data.total
  return { owner, member, accept, received }
}

test('a member has nothing to accept: no reply and no email claims a role that nobody got', async () => {
  const { owner, member, accept, received } = await movedMember('moved-inside@example.com')
  expect(await received(member.accessToken)).toBe(0)
  expect((await accept(member.accessToken)).body.message).toBe('Invitation not found')
  const { members } = (await call(service, 'GET /v1/auth/members', { token: owner.accessToken })).body.data
  expect(members.map(({ role }: { role: string }) => role)).toEqual(['owner', 'member'])
  await mailbox.emailTo(owner.email)
  expect(mailbox.emails.filter(({ to }) => to === owner.email)).toHaveLength(1)
})

test('a former member does not return by an invitation that was sent before to the address the member has', async () => {
  for (const way of ['removed', 'left'] as const) {
    const email = `moved-${way}@example.com`
    const { owner, member, accept, received } = await movedMember(email)
    const leaves = { token: member.accessToken, key: null }
    const ended =
      way === 'left'
        ? await call(service, 'DELETE /v1/auth/members/me', leaves)
        : await call(service, `DELETE /v1/auth/members/${member.userId}`, { token: owner.accessToken, key: null })
    expect(ended.status).toBe(200)
    const { accessToken } = await signIn(service, mailbox, { email })
    expect(await received(accessToken)).toBe(0)
    expect((await accept(accessToken)).status).toBe(404)
  }
})
