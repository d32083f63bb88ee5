import { bind, newId } from '@payments/kernel'
import { providers, type Runtime } from '@payments/platform'
import { describe, expect, test } from 'vitest'
import { BVN, newCustomer, newMerchant, useService } from '#testing'
import { enabled, verify } from '../../test/money.ts'
import { expireIdentities } from '../operators/jobs.ts'
import { type IdentityProvider, identityProvider } from '../provider/provider.ts'

const service = useService()
const enable = (merchant: Awaited<ReturnType<typeof newMerchant>>, id: string, body: Record<string, unknown> = {}) =>
  merchant.call(`POST /v1/cngn/customers/${id}/enable`, { body: { bvn: BVN, ...body } })
const customer = async (merchant: Awaited<ReturnType<typeof newMerchant>>, id: string) =>
  (await merchant.call(`GET /v1/customers/${id}`)).body.data
const eventTypes = async (id: string) =>
  (await service.runtime.pool.query("select type, payload->'data' as data from events where resource_id = $1", [id]))
    .rows
const identities = async (organisationId: string) =>
  (
    await service.runtime.pool.query('select encrypted from cngn_identities where organisation_id = $1', [
      organisationId,
    ])
  ).rows

/** The service with another identity register. */
const withRegister = (provider: IdentityProvider): Runtime => ({
  ...service.runtime,
  providers: providers([bind(identityProvider, 'test', provider)]),
})

test('a customer is pending until the identity is verified, then enabled, with one event that shows the customer', async () => {
  const merchant = await newMerchant(service)
  const id = await newCustomer(merchant)
  const answer = await enable(merchant, id)
  expect([answer.status, answer.body.data]).toEqual([
    200,
    { customerId: id, status: 'pending', failureReason: null, bvnLastDigits: '78' },
  ])
  expect((await customer(merchant, id)).cngn).toEqual({ status: 'pending', failureReason: null })
  await verify(service, id)
  await verify(service, id)
  const shown = await customer(merchant, id)
  expect(shown.cngn).toEqual({ status: 'enabled', failureReason: null })
  expect(await eventTypes(id)).toEqual([{ type: 'cngn.customer.enabled', data: shown }])
  const account = (await merchant.call(`GET /v1/cngn/customers/${id}/virtual-account`)).body.data
  expect(account).toEqual({
    accountNumber: expect.stringMatching(/^\d{10}$/),
    accountName: 'Ada Obi',
    bankName: 'Sandbox Bank',
    bankCode: '044',
    currency: 'NGN',
    permanent: true,
  })
  const balance = await merchant.call(`GET /v1/cngn/customers/${id}/balance`)
  expect(balance.body.data).toEqual({ available: '0', pending: '0' })
})

test.each([
  ['00000000000', 'bvn_not_found'],
  ['11111111111', 'customer_name_bvn_mismatch'],
])('BVN %s fails with %s, with one event, and can be tried again', async (bvn, failureReason) => {
  const merchant = await newMerchant(service)
  const id = await newCustomer(merchant)
  await enable(merchant, id, { bvn })
  await verify(service, id)
  await verify(service, id)
  expect((await customer(merchant, id)).cngn).toEqual({ status: 'failed', failureReason })
  expect((await eventTypes(id)).map(({ type }) => type)).toEqual(['cngn.customer.failed'])
  expect((await merchant.call(`GET /v1/cngn/customers/${id}/balance`)).status).toBe(409)
  expect((await enable(merchant, id)).status).toBe(200)
  await verify(service, id)
  expect((await customer(merchant, id)).cngn.status).toBe('enabled')
})

test('the balance and the account of a customer who cannot use cNGN are a 409, of one who is not there or of another organisation a 404', async () => {
  const [merchant, other] = [await newMerchant(service), await newMerchant(service)]
  const [own, foreign] = [await newCustomer(merchant), await newCustomer(other)]
  await enable(other, foreign)
  await verify(service, foreign)
  for (const part of ['balance', 'virtual-account']) {
    const answers = []
    for (const id of [own, foreign, newId(), 'no-id']) {
      const { status, body } = await merchant.call(`GET /v1/cngn/customers/${id}/${part}`)
      answers.push([status, body.data, body.message])
    }
    const notFound = [404, null, 'Customer not found']
    expect(answers).toEqual([[409, null, 'cNGN is not enabled for the customer'], notFound, notFound, notFound])
  }
})

test('a pending or enabled customer is a 409, and a fourth attempt in a day too, also of parallel requests', async () => {
  const merchant = await newMerchant(service)
  const id = await newCustomer(merchant)
  const parallel = await Promise.all(Array.from({ length: 8 }, () => enable(merchant, id, { bvn: '00000000000' })))
  expect(parallel.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
  await verify(service, id)
  for (let attempt = 2; attempt <= 3; attempt++) {
    expect((await enable(merchant, id, { bvn: '00000000000' })).status).toBe(200)
    await verify(service, id)
  }
  const fourth = await enable(merchant, id)
  expect([fourth.status, fourth.body.message]).toEqual([
    409,
    'Three attempts to enable cNGN were made today; try again tomorrow',
  ])
  await service.runtime.pool.query(
    "update cngn_enablements set created_at = created_at - interval '1 day' where customer_id = $1",
    [id],
  )
  expect((await enable(merchant, id)).status).toBe(200)
  await verify(service, id)
  const again = await enable(merchant, id)
  expect([again.status, again.body.message]).toEqual([
    409,
    'cNGN is already enabled for the customer, or being enabled',
  ])
})

describe('a request', () => {
  test.each([
    [{ bvn: '2221234567' }, { bvn: 'Must be 11 digits' }],
    [{ bvn: 22212345678 }, { bvn: 'Must be a string' }],
    [{ bvn: undefined }, { bvn: 'Required' }],
    [{ email: 'ada' }, { email: 'Must be an email address' }],
    [{ phoneNumber: '080' }, { phoneNumber: 'Must be a phone number in E.164 form, such as +2348012345678' }],
    [{ dob: '1990-01-01' }, { dob: 'Unrecognized field' }],
  ])('with %o is a 422 that names the field', async (body, fields) => {
    const merchant = await newMerchant(service)
    const answer = await enable(merchant, await newCustomer(merchant), body)
    expect([answer.status, answer.body.errors]).toEqual([422, fields])
  })

  test('for a customer whose name has one word needs a last name', async () => {
    const merchant = await newMerchant(service)
    const id = await newCustomer(merchant, { name: 'Ada' })
    expect((await enable(merchant, id)).body.errors).toEqual({
      lastName: 'Required: the name of the customer has one word',
    })
    expect((await enable(merchant, id, { lastName: 'Obi' })).status).toBe(200)
  })

  test('for an unknown or foreign customer is a 404, and in live without a register a 503', async () => {
    const merchant = await newMerchant(service)
    const other = await newMerchant(service)
    expect((await enable(merchant, await newCustomer(other))).status).toBe(404)
    const live = await newMerchant(service, { environment: 'live' })
    const answer = await enable(live, await newCustomer(live))
    expect([answer.status, answer.body.message]).toEqual([
      503,
      'Identity verification is not available in the live environment',
    ])
  })
})

test('the consent and the end of the number are kept, the identity only until the result', async () => {
  const merchant = await newMerchant(service)
  const id = await newCustomer(merchant)
  await enable(merchant, id)
  const [kept] = await identities(merchant.organisationId)
  expect(kept.encrypted).toMatch(/^v2\./)
  await verify(service, id)
  expect(await identities(merchant.organisationId)).toEqual([])
  const { rows } = await service.runtime.pool.query('select * from cngn_enablements where customer_id = $1', [id])
  expect(rows[0]).toMatchObject({
    bvn_last_digits: '78',
    bvn_hash: service.runtime.keyring.fingerprint(BVN, 'cngn.bvn'),
    consent_from: expect.stringMatching(/^key:/),
    provider: 'sandbox',
  })
})

test('a register that does not answer is asked again, and after a day the verification fails and the identity is deleted', async () => {
  const merchant = await newMerchant(service)
  const id = await newCustomer(merchant)
  await enable(merchant, id)
  const down = withRegister({ name: 'down', verifyBvn: async () => ({ outcome: 'unavailable' }) })
  await expect(verify(service, id, down)).rejects.toThrow('The identity provider is not available')
  expect((await customer(merchant, id)).cngn.status).toBe('pending')
  await service.runtime.pool.query(
    "update cngn_identities set created_at = now() - interval '23 hours 1 minute' where organisation_id = $1",
    [merchant.organisationId],
  )
  await expireIdentities.run(service.runtime, {}, new AbortController().signal)
  expect((await customer(merchant, id)).cngn).toEqual({ status: 'failed', failureReason: 'verification_unavailable' })
  expect(await identities(merchant.organisationId)).toEqual([])
  await verify(service, id)
  expect((await eventTypes(id)).map(({ type }) => type)).toEqual(['cngn.customer.failed'])
})

test('names are normalised and asked swapped once; partial is a mismatch; a returned name is compared here', async () => {
  const merchant = await newMerchant(service)
  const asked: string[] = []
  const register = (answer: (first: string) => Awaited<ReturnType<IdentityProvider['verifyBvn']>>) =>
    withRegister({
      name: 'register',
      async verifyBvn({ firstName, lastName }) {
        asked.push(`${firstName}|${lastName}`)
        return answer(firstName)
      },
    })
  const run = async (runtime: Runtime, name: string) => {
    const id = await newCustomer(merchant, { name })
    await enable(merchant, id)
    await verify(service, id, runtime)
    return (await customer(merchant, id)).cngn
  }
  expect(
    await run(
      register((first) => ({ outcome: first === 'OBI' ? 'match' : 'mismatch' })),
      'Adá  d’Obi-x Obi',
    ),
  ).toEqual({
    status: 'enabled',
    failureReason: null,
  })
  expect(asked.splice(0)).toEqual(['ADA|OBI', 'OBI|ADA'])
  const mismatch = { status: 'failed', failureReason: 'customer_name_bvn_mismatch' }
  expect(
    await run(
      register(() => ({ outcome: 'partial' })),
      'Ada Obi',
    ),
  ).toEqual(mismatch)
  expect(
    await run(
      register(() => ({ outcome: 'match', name: 'CHI EZE' })),
      'Ada Obi',
    ),
  ).toEqual(mismatch)
  expect(
    (
      await run(
        register(() => ({ outcome: 'mismatch', name: 'OBI, ADA CHIOMA' })),
        'Ada Obi',
      )
    ).status,
  ).toBe('enabled')
})

test('the account of one customer is not that of another', async () => {
  const merchant = await newMerchant(service)
  const ids = [await enabled(service, merchant), await enabled(service, merchant)]
  const numbers = await Promise.all(
    ids.map(
      async (id) => (await merchant.call(`GET /v1/cngn/customers/${id}/virtual-account`)).body.data.accountNumber,
    ),
  )
  expect(new Set(numbers).size).toBe(2)
  const foreign = await newMerchant(service)
  expect((await foreign.call(`GET /v1/cngn/customers/${ids[0]}/virtual-account`)).status).toBe(404)
})
