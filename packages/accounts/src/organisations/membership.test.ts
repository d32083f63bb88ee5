import { type Actor, newId, system } from '@payments/kernel'
import { queryContext, unitOfWork } from '@payments/platform'
import { expect, test } from 'vitest'
import { call, foundOrganisation, signedIn, type TestSession, useService } from '#testing'
import { changeRole, listMembers } from './membership.ts'
import { refuseInOperators } from './operators.ts'

const service = useService({ settings: { OPERATOR_EMAILS: 'grace@example.com,ada@example.com' } })

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

test('a change concerns one member of one organisation', async () => {
  const [{ organisationId, owner, member }, other] = [await team(), await team()]
  const bystander = await signedIn(service.runtime, { organisationId, role: 'member' })
  await service.runtime.pool.query("insert into memberships values ($1, $2, 'member', now())", [
    other.organisationId,
    member.userId,
  ])
  await change(owner.accessToken, member.userId, 'owner')
  const rolesIn = async ({ accessToken }: TestSession) =>
    Object.fromEntries(
      (await list(accessToken)).body.data.members.map((each: { userId: string; role: string }) => [
        each.userId,
        each.role,
      ]),
    )
  expect(await rolesIn(owner)).toEqual({
    [owner.userId]: 'owner',
    [member.userId]: 'owner',
    [bystander.userId]: 'member',
  })
  expect((await rolesIn(other.owner))[member.userId]).toBe('member')
  expect((await change(owner.accessToken, owner.userId, 'member')).status).toBe(200)
  expect((await remove(member.accessToken, bystander.userId)).status).toBe(200)
  expect(await rolesIn(member)).toEqual({ [owner.userId]: 'member', [member.userId]: 'owner' })
})

test('who was an owner when the request began and is none any more changes nothing; the service itself may', async () => {
  const { organisationId, owner, member } = await team()
  const outsider = await team()
  const changeAs = (actor: Actor) =>
    unitOfWork({ runtime: service.runtime, actor, log: service.runtime.log }, (unit) =>
      changeRole(unit, member.userId, 'owner'),
    )
  const { rows } = await service.runtime.pool.query<{ id: string; user_id: string }>(
    'select id, user_id from sessions where user_id = any ($1)',
    [[member.userId, outsider.owner.userId]],
  )
  for (const { id, user_id } of rows)
    await expect(
      changeAs({
        ...system(organisationId, 'test'),
        ...{ kind: 'session', userId: user_id, sessionId: id, role: 'owner' },
      }),
    ).rejects.toMatchObject({ code: 'owner_required', status: 403 })
  expect((await list(owner.accessToken)).body.data.members[1].role).toBe('member')
  expect(await changeAs(system(organisationId, 'test'))).toMatchObject({ userId: member.userId, role: 'owner' })
})

test('operators come from the setting: nobody is changed among them, and who is no longer named is not listed', async () => {
  const [grace, ada, former] = [
    await signedIn(service.runtime, { role: 'operator', email: 'grace@example.com' }),
    await signedIn(service.runtime, { role: 'operator', email: 'ada@example.com' }),
    await signedIn(service.runtime, { role: 'operator', email: 'former@example.com' }),
  ]
  const { id: organisationId } = grace.organisation
  const actor: Actor = system(organisationId, 'test')
  const context = { runtime: service.runtime, actor, log: service.runtime.log }
  for (const { userId } of [grace, former])
    await expect(unitOfWork(context, (unit) => changeRole(unit, userId, 'member'))).rejects.toMatchObject({
      code: 'operators_are_configured',
      status: 409,
    })
  const { members, total } = await listMembers(queryContext(service.runtime, actor))
  expect([total, members.map(({ userId }) => userId)]).toEqual([2, [grace.userId, ada.userId]])
  await expect(refuseInOperators(queryContext(service.runtime, system(newId(), 'test')))).rejects.toMatchObject({
    code: 'invalid_token',
    status: 401,
  })
})

test('the last owner can be neither removed nor demoted', async () => {
  const { organisationId, owner, member } = await team()
  await signedIn(service.runtime, { organisationId, role: 'member' })
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
