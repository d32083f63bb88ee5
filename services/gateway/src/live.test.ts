import { loadServiceSettings } from '@payments/api'
import { walletTransactions } from '@payments/collections'
import { fiatProvider } from '@payments/fiat'
import type { Settings } from '@payments/platform'
import { routesProvider } from '@payments/routes'
import { swapsProvider } from '@payments/swaps'
import { expect, test } from 'vitest'
import { useService } from '#testing'
import { adapters } from './adapters.ts'

const service = useService()
const bindingsOf = (settings: Settings) => async (changes: object) =>
  (await Promise.all(adapters.map((adapter) => adapter.bindings({ ...settings, ...changes })))).flat()

test('Relay serves the live environment exactly when its key is configured', async () => {
  const settings = loadServiceSettings({ DATA_DIR: service.dataDir }, adapters)
  const bindings = bindingsOf(settings)
  expect(await bindings({})).toEqual([])
  expect(await bindings({ RELAY_API_KEY: 'key' })).toMatchObject([
    { port: routesProvider, environment: 'live', provider: { callsPerMinute: 150 } },
  ])
})

test('Jupiter serves the live environment exactly when its key and a node are configured, and with a node alone wallets get transactions', async () => {
  const settings = loadServiceSettings({ DATA_DIR: service.dataDir }, adapters)
  const bindings = bindingsOf(settings)
  const configured = { JUPITER_API_KEY: 'key', SOLANA_RPC_URL: 'https://rpc.example.com' }
  const transactions = { port: walletTransactions, environment: 'live', provider: { networkKey: 'solana' } }
  expect(await bindings(configured)).toMatchObject([
    { port: swapsProvider, environment: 'live', provider: { name: 'jupiter' } },
    transactions,
  ])
  expect(await bindings({ SOLANA_RPC_URL: configured.SOLANA_RPC_URL })).toMatchObject([transactions])
  const load = (env: Record<string, string>) => () =>
    loadServiceSettings({ DATA_DIR: service.dataDir, ...env }, adapters)
  expect(load({ JUPITER_API_KEY: 'key' })).toThrow('SOLANA_RPC_URL: must be set together with JUPITER_API_KEY')
  expect(load(configured)).toThrow('JUPITER_API_KEY: live providers are for NODE_ENV=production only')
  expect(load({ SOLANA_RPC_URL: 'http://127.0.0.1' })).toThrow('SOLANA_RPC_URL: must be an https:// URL')
})

test('Paycrest serves the live environment exactly when its key and its secret are configured', async () => {
  const settings = loadServiceSettings({ DATA_DIR: service.dataDir }, adapters)
  const bindings = bindingsOf(settings)
  expect(await bindings({ PAYCREST_API_KEY: 'key', PAYCREST_API_SECRET: 'secret' })).toMatchObject([
    { port: fiatProvider, environment: 'live', provider: { name: 'paycrest', callsPerMinute: 600 } },
  ])
  const load = (env: Record<string, string>) => () =>
    loadServiceSettings({ DATA_DIR: service.dataDir, ...env }, adapters)
  expect(load({ PAYCREST_API_SECRET: 'secret' })).toThrow(
    'PAYCREST_API_SECRET: must be set together with PAYCREST_API_KEY',
  )
  expect(load({ PAYCREST_API_KEY: 'key', PAYCREST_API_SECRET: 'secret' })).toThrow(
    'PAYCREST_API_KEY: live providers are for NODE_ENV=production only',
  )
  expect(load({ PAYCREST_BASE_URL: 'http://127.0.0.1' })).toThrow('PAYCREST_BASE_URL: must be an https:// URL')
})

test('NEAR Intents serves the live environment exactly when its token is configured, beside Relay', async () => {
  const settings = loadServiceSettings({ DATA_DIR: service.dataDir }, adapters)
  const bindings = bindingsOf(settings)
  expect(await bindings({ NEAR_INTENTS_TOKEN: 'token' })).toMatchObject([
    { port: routesProvider, environment: 'live', provider: { name: 'near-intents', callsPerMinute: 60 } },
  ])
  expect(await bindings({ NEAR_INTENTS_TOKEN: 'token', RELAY_API_KEY: 'key' })).toMatchObject([
    { provider: { name: 'relay' } },
    { provider: { name: 'near-intents' } },
  ])
  const load = (env: Record<string, string>) => () =>
    loadServiceSettings({ DATA_DIR: service.dataDir, ...env }, adapters)
  expect(load({ NEAR_INTENTS_TOKEN: 'token' })).toThrow(
    'NEAR_INTENTS_TOKEN: live providers are for NODE_ENV=production only',
  )
  expect(load({ NEAR_INTENTS_BASE_URL: 'http://127.0.0.1' })).toThrow('NEAR_INTENTS_BASE_URL: must be an https:// URL')
})
