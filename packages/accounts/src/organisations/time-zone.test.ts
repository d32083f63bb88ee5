import { listedZone, timeZones } from '@payments/kernel'
import { afterAll, expect, test } from 'vitest'
import { call, foundOrganisation, signedIn, signIn, startMailbox, useService } from '#testing'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useService({ worker: true, settings: { SMTP_URL: mailbox.url } })

const zoneOf = async (token: string) =>
  (await call(service, 'GET /v1/auth/me', { token })).body.data.organisation.timeZone
const change = (token: string, timeZone: string) =>
  call(service, 'PATCH /v1/auth/organisation', { token, key: null, body: { timeZone } })

test('an organisation begins with the time zone of its registration, and with UTC where the service does not know it', async () => {
  for (const [given, kept] of [
    ['Africa/Lagos', 'Africa/Lagos'],
    ['Mars/Olympus', 'UTC'],
    ['EAT', 'UTC'],
    [undefined, 'UTC'],
  ] as const) {
    const email = `${given?.replace('/', '-').toLowerCase() ?? 'none'}@example.com`
    const { accessToken } = await signIn(service, mailbox, {
      ...{ email, organisationName: 'Ada Ltd' },
      ...(given ? { timeZone: given } : {}),
    })
    expect([given, await zoneOf(accessToken)]).toEqual([given, kept])
  }
})

test('an owner changes the time zone, a member does not, and one that is unknown is refused on its field', async () => {
  const organisationId = await foundOrganisation(service.runtime)
  const owner = await signedIn(service.runtime, { organisationId, role: 'owner' })
  const member = await signedIn(service.runtime, { organisationId, role: 'member' })
  const changed = await change(owner.accessToken, 'America/New_York')
  expect([changed.status, changed.body.data]).toMatchObject([200, { id: organisationId, timeZone: 'America/New_York' }])
  expect(await zoneOf(member.accessToken)).toBe('America/New_York')
  expect((await change(owner.accessToken, 'Asia/Calcutta')).body.data.timeZone).toBe('Asia/Kolkata')
  expect((await change(owner.accessToken, 'america/new_york')).body.data.timeZone).toBe('America/New_York')
  expect((await change(member.accessToken, 'UTC')).status).toBe(403)
  for (const name of ['Mars/Olympus', 'EAT', '+01:00', '']) {
    const { status, body } = await change(owner.accessToken, name)
    expect([name, status, body.errors]).toEqual([
      name,
      422,
      { timeZone: 'Must be a time zone of the IANA database, such as Africa/Lagos' },
    ])
  }
  expect(await zoneOf(owner.accessToken)).toBe('America/New_York')
})

test('whatever time zone an organisation may have, its reports can name it', async () => {
  const { rows } = await service.runtime.pool.query<{ name: string }>('select name from pg_timezone_names')
  const chosen = rows.map(({ name }) => listedZone(name)).filter((name) => name !== undefined)
  expect(chosen.filter((name) => !timeZones.includes(name))).toEqual([])
  const organisationId = await foundOrganisation(service.runtime)
  const { accessToken: token } = await signedIn(service.runtime, { organisationId, role: 'owner' })
  expect((await change(token, 'Etc/GMT-1')).status).toBe(200)
  for (const path of ['summary?', 'daily?', 'statement?', 'daily?timeZone=Etc/GMT%2B12']) {
    const { status, body } = await call(service, `GET /v1/reports/${path}`, { token })
    expect([path, status, body.data?.timeZone]).toEqual([path, 200, path.endsWith('12') ? 'Etc/GMT+12' : 'Etc/GMT-1'])
  }
})
