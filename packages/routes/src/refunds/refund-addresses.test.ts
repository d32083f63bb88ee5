import { type NetworkType, networks, parseAddress, system, tokenContracts } from '@payments/kernel'
import { queryContext } from '@payments/platform'
import { describe, expect, test } from 'vitest'
import { newMerchant, newRouteBody, someWallet, useService } from '#testing'
import { routesSettings } from '../provider/settings.ts'
import { prepareHiddenRoute } from '../routes/hidden-routes.ts'

/** An address of each network type: of the service, and of the organisation. */
const addresses: Readonly<Record<NetworkType, { service: string; organisation: string }>> = {
  evm: {
    service: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
    organisation: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  },
  svm: {
    service: '2vtrYKQhfbdS8Z3Dg8YKR77oBd6a8kDish4ChapMAEEA',
    organisation: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
  },
  tvm: { service: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', organisation: 'TNUC9Qb1rRpS5CbWLmNMxXBjyFoydXjWFR' },
}
const types = Object.keys(addresses) as NetworkType[]
const settings = Object.fromEntries(
  types.map((type) => [`REFUND_ADDRESS_${type.toUpperCase()}`, addresses[type].service]),
)
const service = useService({ settings })
const origins = { evm: 'ethereum', svm: 'solana', tvm: 'tron' } as const

/** An organisation whose own refund addresses are those of these network types. */
async function organisationWith(own: readonly NetworkType[]) {
  const merchant = await newMerchant(service)
  const body = Object.fromEntries(own.map((type) => [type, addresses[type].organisation]))
  const answer = await merchant.call('PATCH /v1/payment-routes/refund-addresses', { body })
  expect(answer.status, answer.text).toBe(200)
  return merchant
}
test('simultaneous changes in any order of the networks never wait for each other', async () => {
  const merchant = await organisationWith(types)
  const { pool } = service.runtime
  const deadlocks = async () => {
    await pool.query('select pg_stat_force_next_flush()')
    const { rows } = await pool.query(
      'select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()',
    )
    return rows[0].deadlocks
  }
  const before = await deadlocks()
  const { evm, svm, tvm } = addresses
  const bodies = [
    { evm: evm.organisation, svm: svm.organisation, tvm: tvm.organisation },
    { tvm: tvm.service, svm: svm.service, evm: evm.service },
    { svm: null, evm: evm.service },
    { evm: null, svm: svm.organisation },
  ]
  for (let round = 0; round < 25; round++) {
    const answers = await Promise.all(
      bodies.map((body) => merchant.call('PATCH /v1/payment-routes/refund-addresses', { body })),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  }
  expect(await deadlocks()).toBe(before)
})

/** Every choice of network types that an organisation may have set. */
const choices = Array.from({ length: 2 ** types.length }, (_each, bits) =>
  types.filter((_type, index) => bits & (2 ** index)),
)

describe.each(types)('a route from a network of type %s', (type) => {
  test.each(choices.map((own) => [own.join(', ') || 'none', own] as const))(
    'has a refund address of that type where the organisation has set %s',
    async (_name, own) => {
      const merchant = await organisationWith(own)
      const owner = own.includes(type) ? 'organisation' : 'service'
      const expected = addresses[type][owner]
      const made = await merchant.call('POST /v1/payment-routes', {
        body: newRouteBody({ originChainKey: origins[type], originCurrency: type === 'tvm' ? 'USDT' : 'USDC' }),
      })
      expect([made.status, made.body.data?.refundAddress], made.text).toEqual([201, expected])
      const context = queryContext(service.runtime, system(merchant.organisationId, merchant.environment))
      const hidden = await prepareHiddenRoute(context, {
        name: 'Session',
        origin: { networkKey: origins[type], currency: type === 'tvm' ? 'USDT' : 'USDC', type },
        destination: { networkKey: 'base', currency: 'USDC', address: someWallet() },
        refundAddress: null,
        until: new Date(Date.now() + 60_000),
        quote: { output: 5_000_000n },
        strict: false,
        stranger: undefined,
      })
      expect(hidden.refundTo).toEqual({ address: expected, owner })
    },
  )

  test.each(types.filter((other) => other !== type))('is not given an address of type %s', async (other) => {
    const merchant = await newMerchant(service)
    const wrong = addresses[other].organisation
    const answer = await merchant.call('PATCH /v1/payment-routes/refund-addresses', { body: { [type]: wrong } })
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [type]])
    const name = `REFUND_ADDRESS_${type.toUpperCase()}`
    expect(routesSettings.shape[name as keyof typeof routesSettings.shape].safeParse(wrong).success).toBe(false)
  })

  test('is not the contract or mint of a token in the settings', () => {
    const token = { evm: tokenContracts.base?.USDC, svm: tokenContracts.solana?.USDC, tvm: tokenContracts.tron?.USDT }[
      type
    ]
    const name = `REFUND_ADDRESS_${type.toUpperCase()}` as keyof typeof routesSettings.shape
    const { error } = routesSettings.shape[name].safeParse(token)
    expect(error?.issues.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^Must be a wallet: this is the (contract|mint) of USD[CT], and what is sent there is lost$/,
      ),
    ])
  })
})

test('there is a refund address of every network type, and the addresses of one are not those of another', () => {
  expect([...new Set(networks.map((network) => network.type))].sort()).toEqual([...types].sort())
  for (const type of types)
    for (const other of types)
      for (const address of Object.values(addresses[other]))
        expect([type, address, 'address' in parseAddress(type, address)]).toEqual([type, address, type === other])
})
