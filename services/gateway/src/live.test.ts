import { loadServiceSettings } from '@payments/api'
import { routesProvider } from '@payments/routes'
import { expect, test } from 'vitest'
import { useService } from '#testing'
import { adapters } from './adapters.ts'

const service = useService()

test('Relay serves the live environment exactly when its key is configured', () => {
  const settings = loadServiceSettings({ DATA_DIR: service.dataDir }, adapters)
  const bindings = (changes: object) => adapters.flatMap((adapter) => adapter.bindings({ ...settings, ...changes }))
  expect(bindings({})).toEqual([])
  expect(bindings({ RELAY_API_KEY: 'key' })).toMatchObject([
    { port: routesProvider, environment: 'live', provider: { callsPerMinute: 150 } },
  ])
})
