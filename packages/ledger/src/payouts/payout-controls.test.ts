import { system } from '@payments/kernel'
import { type UnitOfWork, unitOfWork } from '@payments/platform'
import { expect, test } from 'vitest'
import { call, foundOrganisation, newMerchant, signedIn, startService, useService } from '#testing'
import { countPayout, type Payout, returnToLimit } from './payout-controls.ts'

const service = useService({ settings: { PAYOUT_DAILY_LIMITS: 'USDC:100,EURC:5', DATABASE_POOL: '20' } })

const wallet = { type: 'wallet', networkKey: 'base', address: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F' } as const
const bank = { type: 'bank', bankCode: '058', accountNumber: '0123456789' } as const
const usdc = (amount: number, destination: Payout['destination'] = wallet): Payout => ({
  asset: 'USDC',
  amount: BigInt(Math.round(amount * 1e6)),
  destination,
  field: 'address',
})
const inUnit = <T>(
  organisationId: string,
  run: (unit: UnitOfWork) => Promise<T>,
  environment: 'test' | 'live' = 'live',
) => unitOfWork({ runtime: service.runtime, actor: system(organisationId, environment), log: service.runtime.log }, run)
const count = (organisationId: string, payout: Payout, environment?: 'test' | 'live') =>
  inUnit(organisationId, (unit) => countPayout(unit, payout), environment)
const used = async (organisationId: string, asset = 'USDC') =>
  (
    await service.runtime.pool.query('select used from payout_usage where organisation_id = $1 and asset = $2', [
      organisationId,
      asset,
    ])
  ).rows[0]?.used ?? '0'
const organisation = () => foundOrganisation(service.runtime)

test('parallel payouts together never exceed the daily limit, and use all of it', async () => {
  const id = await organisation()
  const results = await Promise.allSettled(Array.from({ length: 60 }, () => count(id, usdc(3))))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(33)
  for (const result of results)
    if (result.status === 'rejected') expect(result.reason.message).toBe('Daily limit of live payouts exceeded')
  expect(await used(id)).toBe('99000000')
  await count(id, usdc(1))
  await expect(count(id, usdc(0.000001))).rejects.toMatchObject({
    message: 'Daily limit of live payouts exceeded',
    fields: { amount: 'Daily limit of live payouts exceeded' },
  })
})

test('limits are apart for organisations, assets and days, and test and unlimited assets have none', async () => {
  const [one, two] = [await organisation(), await organisation()]
  await count(one, usdc(100))
  await count(two, usdc(100))
  await expect(count(one, usdc(1))).rejects.toThrow('Daily limit')
  await count(one, { ...usdc(0), asset: 'EURC', amount: 5_000_000n })
  await expect(count(one, { ...usdc(0), asset: 'EURC', amount: 1n })).rejects.toThrow('Daily limit')
  await count(one, { ...usdc(0), asset: 'USDT', amount: 10n ** 15n })
  await count(one, usdc(1_000_000), 'test')
  await expect(count(await organisation(), usdc(100.000001))).rejects.toThrow('Daily limit')
  await service.runtime.pool.query('update payout_usage set day = day - 1 where organisation_id = $1', [one])
  await count(one, usdc(100))
})

test('a unit that is rolled back counts nothing, and a failed payout is returned to its day once', async () => {
  const id = await organisation()
  const broken = inUnit(id, async (unit) => {
    await countPayout(unit, usdc(60))
    throw new Error('crash')
  })
  await expect(broken).rejects.toThrow('crash')
  expect(await used(id)).toBe('0')
  const day = await count(id, usdc(60))
  const giveBack = { asset: 'USDC', amount: usdc(60).amount, day } as const
  const half = inUnit(id, async (unit) => {
    await returnToLimit(unit, giveBack)
    throw new Error('crash')
  })
  await expect(half).rejects.toThrow('crash')
  expect(await used(id)).toBe('60000000')
  await inUnit(id, (unit) => returnToLimit(unit, giveBack))
  expect(await used(id)).toBe('0')
  await inUnit(id, (unit) => returnToLimit(unit, giveBack))
  expect(await used(id)).toBe('0')
})

test('with an allow-list, payouts go to its destinations only, whatever the spelling of the address', async () => {
  const id = await organisation()
  const { accessToken: token } = await signedIn(service.runtime, { organisationId: id, role: 'owner' })
  const headers = { 'x-service-environment': 'live' }
  const change = (allowedDestinations: unknown, by: string = token) =>
    call(service, 'PATCH /v1/payout-controls', { body: { allowedDestinations }, token: by, headers })
  const lower = { ...wallet, address: wallet.address.toLowerCase() }
  await count(id, usdc(1, bank))
  expect((await change([lower])).status).toBe(200)
  await count(id, usdc(1, wallet))
  for (const other of [bank, { ...wallet, networkKey: 'ethereum' }])
    await expect(count(id, usdc(1, other))).rejects.toThrow('Destination is not among the allowed destinations')
  expect(await used(id)).toBe('2000000')
  const shown = await call(service, 'GET /v1/payout-controls', { token, headers })
  expect(shown.body.data).toEqual({
    dailyLimits: [
      { currency: 'USDC', limit: '100', used: '2' },
      { currency: 'EURC', limit: '5', used: '0' },
    ],
    allowedDestinations: [lower],
    approval: { from: null },
  })
  expect((await change([])).status).toBe(200)
  await expect(count(id, usdc(1, wallet))).rejects.toThrow('Destination')
  expect((await change(null)).body.data.allowedDestinations).toBeNull()
  await count(id, usdc(1, bank))
})

test('an allow-list holds in test as in live, so that it can be rehearsed', async () => {
  const merchant = await newMerchant(service)
  const change = (allowedDestinations: unknown) =>
    merchant.call('PATCH /v1/payout-controls', { body: { allowedDestinations } })
  expect((await change([wallet])).status).toBe(200)
  await count(merchant.organisationId, usdc(1, wallet), 'test')
  await expect(count(merchant.organisationId, usdc(1, bank), 'test')).rejects.toThrow('Destination is not among')
  expect((await change(null)).status).toBe(200)
  await count(merchant.organisationId, usdc(1, bank), 'test')
})

test('the live allow-list is changed by an owner with a confirmed session only, and bad destinations are named', async () => {
  const merchant = await newMerchant(service, { environment: 'live' })
  const { organisationId } = merchant
  const change = (token: string, allowedDestinations: unknown = null) =>
    call(service, 'PATCH /v1/payout-controls', {
      body: { allowedDestinations },
      token,
      headers: { 'x-service-environment': 'live' },
    })
  const owner = await signedIn(service.runtime, { organisationId, role: 'owner' })
  const member = await signedIn(service.runtime, { organisationId, role: 'member' })
  expect((await change(merchant.key)).body.message).toBe('Dashboard session required')
  expect((await change(member.accessToken)).body.message).toBe('Owner role required')
  // The rule for approvals is changed by the same people only: a key that could lift it would be bound by nothing.
  const lift = (token: string) =>
    call(service, 'PATCH /v1/payout-controls', {
      ...{ token, body: { approval: { from: null } }, headers: { 'x-service-environment': 'live' } },
    })
  expect((await lift(merchant.key)).body.message).toBe('Dashboard session required')
  expect((await lift(member.accessToken)).body.message).toBe('Owner role required')
  expect((await lift(owner.accessToken)).status).toBe(200)
  const bad = await change(owner.accessToken, [bank, { ...wallet, address: '0x12' }])
  expect([bad.status, Object.keys(bad.body.errors)[0]]).toEqual([422, expect.stringMatching(/^allowedDestinations\.1/)])
  await service.runtime.pool.query(
    "update sessions set confirmed_at = now() - interval '10 minutes' where user_id = $1",
    [owner.userId],
  )
  expect((await change(owner.accessToken)).body.message).toBe('Confirm the session first: POST /auth/confirm')
  expect((await lift(owner.accessToken)).body.message).toBe('Confirm the session first: POST /auth/confirm')
})

test('a malformed limit stops the start with an error that names the setting', async () => {
  for (const text of ['USDC', 'USDC:1.0000001', 'XYZ:1', 'USDC:1,USDC:2', 'USDC:-1'])
    await expect(startService({ settings: { PAYOUT_DAILY_LIMITS: text } })).rejects.toThrow(
      'PAYOUT_DAILY_LIMITS: must be',
    )
})
