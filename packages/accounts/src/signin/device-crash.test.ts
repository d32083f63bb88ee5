import { anonymous, system } from '@payments/kernel'
import { queryContext, type Runtime, unitOfWork } from '@payments/platform'
import { expect, test } from 'vitest'
import { call, dyingEverywhere, foundOrganisation, signedIn, useService } from '#testing'
import { approveDevice, checkPoll, redeemDevice } from './device.ts'

const service = useService()

/** A program that waits for an answer, its user, and what can be asked about both. */
async function waitingProgram() {
  const organisationId = await foundOrganisation(service.runtime)
  const { accessToken, userId } = await signedIn(service.runtime, { organisationId, role: 'owner' })
  const post = (path: string, body: object, token: string | null = null) =>
    call(service, `POST /v1/auth/device${path}`, { body, token, key: null })
  const { deviceCode, userCode } = (await post('', { clientName: 'CLI' })).body.data
  const user = { ...system(organisationId, 'test'), userId }
  const { pool } = service.runtime
  return {
    deviceCode,
    approve: (runtime: Runtime) =>
      unitOfWork(queryContext(runtime, user), (unit) =>
        approveDevice(unit, { userCode, environment: 'test', access: 'read' }),
      ),
    /** As the operation does it: the poll is counted first, in a statement of its own. */
    async redeem(runtime: Runtime) {
      const context = queryContext(runtime, anonymous)
      const id = await checkPoll(context, { deviceCode })
      return unitOfWork(context, (unit) => redeemDevice(unit, { deviceCode }, id))
    },
    /** The next poll is in time. A test does not wait for the interval. */
    pause: () => pool.query("update device_requests set polled_at = now() - interval '1 hour'"),
    ask: async () => (await post('/token', { deviceCode })).headers.get('link')?.match(/#(\w+)>/)?.[1],
    keys: async () => (await call(service, 'GET /v1/api-keys', { token: accessToken })).body.data.apiKeys,
    revoke: (id: string) => call(service, `DELETE /v1/api-keys/${id}`, { token: accessToken, key: null }),
  }
}

test('a crash before any statement of an approval, its commit included, leaves the program waiting, and its user may answer again', async () => {
  const program = await waitingProgram()
  const cuts = await dyingEverywhere(service, program.approve, async (cut) => {
    await program.pause()
    if (cut !== null) expect(await program.ask()).toBe('authorization_pending')
    expect(await program.keys()).toEqual([])
  })
  expect(cuts).toBe(1)
  await program.redeem(service.runtime)
  expect(await program.keys()).toHaveLength(1)
})

test('a crash before any statement of a redemption, its commit included, creates no key; the next poll receives one, and no other does', async () => {
  const program = await waitingProgram()
  await program.approve(service.runtime)
  const cuts = await dyingEverywhere(
    service,
    async (runtime) => {
      await program.pause()
      return program.redeem(runtime)
    },
    async (cut) => expect(await program.keys()).toHaveLength(cut === null ? 1 : 0),
  )
  expect(cuts).toBe(1)
  await program.pause()
  expect(await program.ask()).toBe('expired_token')
  expect(await program.keys()).toHaveLength(1)
})

test('a key whose reply was lost is listed as never used and can be revoked, and the program signs in anew', async () => {
  const program = await waitingProgram()
  await program.approve(service.runtime)
  await program.redeem(service.runtime)
  await program.pause()
  expect(await program.ask()).toBe('expired_token')
  const [lost] = await program.keys()
  expect(lost).toMatchObject({ name: 'CLI', lastUsedAt: null })
  expect((await program.revoke(lost.id)).status).toBe(200)
  const next = await waitingProgram()
  await next.approve(service.runtime)
  expect((await next.redeem(service.runtime)).key).toMatch(/^svc_test_/)
})
