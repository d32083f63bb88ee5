import { loadSettings } from '@payments/kernel'
import { routesProvider } from '@payments/routes'
import { expect, test } from 'vitest'
import { useService } from '#testing'
import { live } from './live.ts'

const service = useService()

test('Relay serves the live environment exactly when its key is configured', () => {
  const settings = loadSettings({ DATA_DIR: service.dataDir })
  expect(live(settings)).toEqual([])
  expect(live({ ...settings, RELAY_API_KEY: 'key' })).toMatchObject([
    { port: routesProvider, environment: 'live', provider: { callsPerMinute: 150 } },
  ])
})
