import { test } from 'vitest'
import {
  connected,
  DEPOSITS,
  expectOnce,
  KILLS,
  newMerchant,
  newRoutes,
  PATIENCE_MS,
  pause,
  payAll,
  ROUTES,
  settled,
  startProcess,
  startService,
} from '#testing'

test(
  'a process that is killed repeatedly at random loses and doubles nothing',
  async () => {
    const service = await startService()
    const owner = await connected(service)
    const start = () => startProcess(service, { PROCESS_ROLE: 'all' })
    let worker = await start()
    try {
      const merchant = await newMerchant(service)
      const routes = await newRoutes(merchant, ROUTES)
      const paid = new Map<string, string>()
      while (paid.size < DEPOSITS) {
        const wave = await payAll(merchant, routes, Math.min(DEPOSITS - paid.size, Math.ceil(DEPOSITS / KILLS)))
        for (const [request, outcome] of wave) paid.set(request, outcome)
        await owner.query('update payment_route_polls set next_poll_at = least(next_poll_at, now())')
        await pause(Math.random() * 900)
        worker.kill()
        worker = await start()
      }
      await settled(owner, DEPOSITS)
      await expectOnce(service, merchant, owner, paid)
    } finally {
      worker.kill()
      await owner.end()
      await service.stop()
    }
  },
  PATIENCE_MS * 3,
)
