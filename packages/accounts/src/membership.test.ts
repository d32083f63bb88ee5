import { newId } from '@payments/kernel'
import { expect, test } from 'vitest'
import { call, foundOrganisation, signedIn, useService } from '#testing'

const service = useService()

async function team() {
  const organisationId = await foundOrganisation(service.runtime)
  const owner = await signedIn(service.runtime, { organisationId, role: 'owner' })
  const member = await signedIn(service.runtime, { organisationId, role: 'member' })
  return { organisationId, owner, member }
}
const list = (token: string) => call(service, 'GET /v1/auth/members', { token })
const change = (token: string, userId: string, role: string) =>
  call(service, `PATCH /v1/auth/members/${userId}`, { body: { role }, token, key: null })
const remove = (token: string, userId: string) =>
  call(service, `DELETE /v1/auth/members/${userId}`, { token, key: null })

test('an owner lists, promotes and removes members; it applies from their next request on', async () => {
  const { owner, member } = await team()
  const { members, total } = (await list(owner.accessToken)).body.data
  expect([total, members.map((each: { userId: string; role: string }) => [each.userId, each.role])]).toEqual([
    2,
    [
      [owner.userId, 'owner'],
      [member.userId, 'member'],
    ],
  ])
  expect((await list(member.accessToken)).body.message).toBe('Owner role required')
  expect((await change(owner.accessToken, member.userId, 'owner')).body).toMatchObject({
    message: 'Member updated',
    data: { userId: member.userId, role: 'owner' },
  })
  expect((await list(member.accessToken)).status).toBe(200)
  expect((await remove(owner.accessToken, member.userId)).body.message).toBe('Member removed')
  expect((await call(service, 'GET /v1/auth/me', { token: member.accessToken })).status).toBe(401)
  const refreshed = await call(service, 'POST /v1/auth/refresh', {
    body: { refreshToken: member.refreshToken },
    key: null,
  })
  expect(refreshed.status).toBe(401)
  expect((await list(owner.accessToken)).body.data.total).toBe(1)
})

test('the last owner can be neither removed nor demoted', async () => {
  const { owner, member } = await team()
  for (const reply of [
    await change(owner.accessToken, owner.userId, 'member'),
    await remove(owner.accessToken, owner.userId),
  ])
    expect([reply.status, reply.body.message]).toEqual([409, 'The last owner cannot be removed or demoted'])
  expect((await change(owner.accessToken, owner.userId, 'owner')).status).toBe(200)
  await change(owner.accessToken, member.userId, 'owner')
  expect((await remove(owner.accessToken, owner.userId)).status).toBe(200)
})

test('of owners who remove each other in parallel, one stays', async () => {
  for (let round = 0; round < 5; round++) {
    const { organisationId, owner, member } = await team()
    await change(owner.accessToken, member.userId, 'owner')
    const replies = await Promise.all([
      remove(owner.accessToken, member.userId),
      remove(member.accessToken, owner.userId),
    ])
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    const { rows } = await service.runtime.pool.query(
      "select count(*)::int as owners from memberships where organisation_id = $1 and role = 'owner'",
      [organisationId],
    )
    expect(rows[0].owners).toBe(1)
  }
})

test('a member of another organisation, an unknown and a malformed id get the same 404', async () => {
  const { owner } = await team()
  const stranger = await team()
  for (const id of [stranger.member.userId, newId(), 'not-an-id'])
    for (const reply of [await change(owner.accessToken, id, 'owner'), await remove(owner.accessToken, id)])
      expect([reply.status, reply.body.message]).toEqual([404, 'Member not found'])
  expect((await list(stranger.owner.accessToken)).body.data.total).toBe(2)
})
