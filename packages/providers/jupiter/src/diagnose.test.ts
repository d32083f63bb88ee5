import { afterEach, beforeEach, expect, test } from 'vitest'
import { API_KEY } from '../test/exchange.ts'
import { MOST_LAMPORTS, startWorld, type World } from '../test/world.ts'
import { diagnoseJupiter, diagnoseNode } from './diagnose.ts'

const LEAST = 100_000_000n
let world: World
beforeEach(async () => {
  world = await startWorld()
})
afterEach(() => world.close())

const outcome = async (options: object = {}, least = LEAST) => {
  const given = { baseUrl: world.exchange.url, rpcUrl: world.node.url, apiKey: API_KEY, signers: world.signers }
  const found = await diagnoseJupiter(
    { ...given, mostLamports: MOST_LAMPORTS, timeoutMs: 500, retryMs: 1, ...options },
    least,
  )
  expect(found.filter(({ status, action }) => (status === 'failed' || status === 'warning') && !action)).toEqual([])
  expect(JSON.stringify(found)).not.toContain(API_KEY)
  expect(JSON.stringify(found)).not.toContain(world.node.url)
  return Object.fromEntries(found.map(({ check, status }) => [check.replace('jupiter: ', ''), status]))
}
const OK = {
  ...{ node: 'ok', 'history of the node': 'ok', mints: 'ok', 'fee payer': 'ok', quotes: 'ok' },
  'instructions of a swap': 'ok',
}

test('with a key and a node that work everything is in order, and nothing is signed', async () => {
  expect(await outcome()).toEqual(OK)
  expect(world.signed).toEqual([])
})

test('with a node alone, the node is asked', async () => {
  const ask = async () => (await diagnoseNode({ rpcUrl: world.node.url, retryMs: 1 })).map(({ status }) => status)
  expect(await ask()).toEqual(['ok'])
  world.node.distort = (method, result) => (method === 'getGenesisHash' ? 'another' : result)
  expect(await ask()).toEqual(['failed'])
})

test('a node of another network, one that keeps no history and one that is behind are failures', async () => {
  const failed = { node: 'failed', 'history of the node': 'failed', mints: 'failed', 'fee payer': 'failed' }
  world.node.distort = (method, result) => (method === 'getGenesisHash' ? 'another' : result)
  expect(await outcome()).toEqual({ ...OK, ...failed, 'instructions of a swap': 'failed' })
  world.node.distort = (method, result) => (method === 'getFirstAvailableBlock' ? 1 : result)
  expect(await outcome()).toEqual({ ...OK, 'history of the node': 'failed' })
  world.node.distort = (_method, result) => result
  world.node.spoil = () => ({ status: 403 })
  expect(await outcome()).toEqual({ ...OK, ...failed, 'instructions of a swap': 'failed' })
})

test('a refused key, a fee payer with too little SOL and a process without a seed are told', async () => {
  expect(await outcome({ apiKey: 'another' })).toEqual({ ...OK, quotes: 'failed', 'instructions of a swap': 'failed' })
  expect(await outcome({}, 10_000_000_001n)).toEqual({ ...OK, 'fee payer': 'failed' })
  const none = { 'fee payer': 'skipped', 'instructions of a swap': 'skipped' }
  expect(await outcome({ signers: undefined })).toEqual({ ...OK, ...none })
})

test('instructions that would be refused before a signature are a failure', async () => {
  world.exchange.tamper = (build) => {
    build.otherInstructions = [build.swapInstruction]
  }
  expect(await outcome()).toEqual({ ...OK, 'instructions of a swap': 'failed' })
})
