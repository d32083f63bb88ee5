import { cngnNetworks } from '@payments/cngn'
import { newId } from '@payments/kernel'
import { loadSettings } from '@payments/platform'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hash, type RelayServer, startRelay } from '../../test/server.ts'
import { onWire } from '../../test/wire.ts'
import { chains } from '../assets.ts'
import { relayClient } from '../client.ts'
import { relaySettings } from '../settings.ts'
import { relayConvertOut } from './convert-out.ts'

const TREASURY = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const WALLET = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'
const BASE = chains.base?.id as number
const CONTRACT = cngnNetworks.find(({ networkKey }) => networkKey === 'base')?.contract as string

let world: RelayServer
beforeEach(async () => {
  world = await startRelay()
  // 1,600 cNGN for a dollar.
  world.output = (amount) => amount / 1600n
})
afterEach(() => world.close())

const converter = (treasury: Record<string, string> = { base: TREASURY }) =>
  relayConvertOut(
    relayClient({ baseUrl: world.url, apiKey: 'relay-key', requestsPerMinute: 150, retryMs: 1, restMs: 50 }),
    treasury,
  )
const listContract = (address = CONTRACT, decimals = 6) =>
  world.chains.find(({ id }) => id === BASE)?.solverCurrencies.push({ address, symbol: 'cNGN', decimals })
const request = (given: object = {}) => ({
  id: newId(),
  amount: 160_000_000_000n,
  toCurrency: 'USDC',
  networkKey: 'arbitrum',
  destinationAddress: WALLET,
  ...given,
})
const unavailable = {
  code: 'capability_unavailable',
  status: 503,
  message: 'Converts out of cNGN are not available at the moment',
}

describe('a quote', () => {
  test('is a strict deposit address of its own that comes back to the treasury, with what is delivered', async () => {
    listContract(CONTRACT.toLowerCase())
    const quote = await converter().quote(request())
    expect(quote).toEqual({
      networkKey: 'base',
      address: expect.stringMatching(/^0x[0-9a-f]{40}$/),
      rate: '1600',
      fee: 0n,
      convertedAmount: 100_000_000n,
    })
    expect(world.calls.at(-1)).toMatchObject({
      line: 'POST /quote/v2',
      body: {
        recipient: WALLET,
        originChainId: BASE,
        originCurrency: CONTRACT,
        destinationChainId: chains.arbitrum?.id,
        amount: '160000000000',
        tradeType: 'EXACT_INPUT',
        useDepositAddress: true,
        strict: true,
        refundTo: TREASURY,
      },
    })
    expect((await converter().quote(request())).address).not.toBe(quote.address)
  })

  test.each<[string, () => unknown, Record<string, string>]>([
    ['where no chain lists the contract', () => undefined, { base: TREASURY }],
    ['where another token has the symbol', () => listContract(WALLET), { base: TREASURY }],
    ['where its decimals differ', () => listContract(CONTRACT, 18), { base: TREASURY }],
    ['where the treasury has no address on the chain', () => listContract(), { ethereum: TREASURY }],
    [
      'where the chain is disabled',
      () => {
        listContract()
        for (const chain of world.chains) chain.disabled = true
      },
      { base: TREASURY },
    ],
  ])('%s is a 503, and no address is requested', async (_name, prepare, treasury) => {
    prepare()
    await expect(converter(treasury).quote(request())).rejects.toMatchObject(unavailable)
    expect(world.calls.map(({ line }) => line)).not.toContain('POST /quote/v2')
  })

  test('that Relay rejects names the merchant’s field, and an outage is a 503', async () => {
    listContract()
    const rejected = async (errorCode: string) => {
      world.fail({ lateMs: 0 }, { status: 400, body: JSON.stringify({ message: 'secret detail', errorCode }) })
      return converter()
        .quote(request())
        .catch((error: unknown) => error)
    }
    expect(await rejected('INVALID_RECIPIENT')).toMatchObject({
      fields: { destinationAddress: 'Not accepted by the provider' },
    })
    expect(await rejected('NO_SWAP_ROUTES_FOUND')).toMatchObject({
      fields: { toCurrency: 'Not available from cNGN at the moment' },
    })
    expect(await rejected('NO_QUOTES')).toMatchObject({ code: 'cngn_provider_unavailable' })
    expect(await rejected('UNKNOWN_ERROR')).toMatchObject({ code: 'cngn_provider_failed' })
    await expect(converter().quote(request({ networkKey: 'tron', toCurrency: 'USDC' }))).rejects.toMatchObject({
      fields: { toCurrency: 'Not supported by the provider' },
    })
  })
})

describe('a report', () => {
  const quoted = async () => {
    listContract()
    const { networkKey, address } = await converter().quote(request())
    const report = () =>
      converter().report({ networkKey, address, toCurrency: 'USDC', destinationNetworkKey: 'arbitrum' })
    const change = (status: string, over: object) => {
      const kept = world.requests.find((one) => one.address === address)
      if (kept) Object.assign(kept, { status, over })
    }
    return { report, change }
  }
  const out = (amount: string, chainId = chains.arbitrum?.id) => ({
    actual: {
      origin: null,
      destination: {
        inputCurrency: null,
        outputCurrency: { currency: { chainId, address: chains.arbitrum?.tokens.USDC }, amount, amountUsd: '1' },
      },
    },
  })
  const none = { convertedAmount: null, txHash: null, refundedAmount: null, refundTxHash: null }

  test('is pending until the request is final', async () => {
    const { report, change } = await quoted()
    expect(await report()).toEqual({ ...none, status: 'pending' })
    for (const status of ['pending', 'submitted', 'something new']) {
      change(status, {})
      expect((await report()).status).toBe('pending')
    }
  })

  test('tells what was delivered, what was sent back, and what is neither', async () => {
    const { report, change } = await quoted()
    const txHash = hash()
    change('success', { data: { outTxs: [{ txHash }], route: out('99900000') } })
    expect(await report()).toEqual({ ...none, status: 'completed', convertedAmount: 99_900_000n, txHash })
    change('refund', { data: { outTxs: [{ txHash }, { txHash: hash() }], route: null } })
    expect(await report()).toEqual({ ...none, status: 'refunded', refundTxHash: txHash })
    change('failure', { data: null })
    expect(await report()).toEqual({ ...none, status: 'failed' })
  })
})

describe('the report of an order', () => {
  const USDC = chains.arbitrum?.tokens.USDC as string
  const begin = async () => {
    listContract()
    const { networkKey, address } = await converter().quote(request())
    const kept = world.requests.find((one) => one.address === address)
    if (!kept) throw new Error('Nothing was quoted')
    const query = { networkKey, address, toCurrency: 'USDC', destinationNetworkKey: 'arbitrum' }
    return { report: () => converter().report(query), kept }
  }
  const went = (amount: string, address = USDC) => ({
    actual: {
      origin: null,
      destination: {
        inputCurrency: null,
        outputCurrency: { currency: { chainId: chains.arbitrum?.id, address }, amount, amountUsd: '1' },
      },
    },
  })
  const done = (amount: string, address?: string) => ({
    status: 'success',
    over: { data: { outTxs: [{ txHash: hash() }], route: went(amount, address) } },
  })

  test('tells no amount of another currency than was asked for', async () => {
    const { report, kept } = await begin()
    Object.assign(kept, done('33000000000000000', '0x0000000000000000000000000000000000000000'))
    expect(await report()).toMatchObject({ status: 'pending', convertedAmount: null })
  })

  test.each(['refund', 'failure'])('is not that of a later deposit of a stranger, a %s', async (status) => {
    const { report, kept } = await begin()
    Object.assign(kept, done('99900000'))
    const over = { data: { failReason: 'DOUBLE_SPEND', outTxs: [{ txHash: hash() }], route: null } }
    world.requests.push({ ...kept, id: hash(), status, updatedAt: Date.now() + 60_000, over })
    expect(await report()).toMatchObject({ status: 'completed', convertedAmount: 99_900_000n })
  })

  test('is not that of another address', async () => {
    const { report, kept } = await begin()
    const other = { ...kept, id: hash(), ...done('1') }
    world.distort = () => [onWire({ ...other, address: WALLET })]
    expect(await report()).toMatchObject({ status: 'pending' })
  })
})

test('treasury addresses are checked for their network at the start', () => {
  const load = (RELAY_CNGN_TREASURY: string) =>
    relaySettings.from(loadSettings({ NODE_ENV: 'test', RELAY_CNGN_TREASURY }, [relaySettings])).RELAY_CNGN_TREASURY
  expect(load(`base:${TREASURY.toLowerCase()}, ethereum:${TREASURY}`)).toEqual({ base: TREASURY, ethereum: TREASURY })
  expect(load('')).toEqual({})
  expect(() => load(`tron:${TREASURY}`)).toThrow(
    'RELAY_CNGN_TREASURY: must be like base:0x…, with networks of cNGN; not "tron:',
  )
  expect(() => load('base:0x12')).toThrow('base: Must be an EVM address')
})
