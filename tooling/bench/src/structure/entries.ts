// What `POST /v1/offramps`, `POST /v1/payment-routes` and one poll enter, each the second time: the first loads what is loaded with its first use. A process of its
// own, whose functions are instrumented; it writes what it found as JSON.
import { setTimeout as sleep } from 'node:timers/promises'
import { domainsOf } from '@payments/platform'
import { dataOf, newMerchant, runService, samples, startDatabase } from '@payments/stand'
import { entered } from './instrument.ts'

const database = await startDatabase()
const service = await runService(database, { settings: { DATA_DIR: database.dataDir }, logLevel: 'warn' })
try {
  const merchant = await newMerchant(service)
  const task = domainsOf(service.runtime)
    .flatMap(({ work }) => work?.tasks ?? [])
    .find(({ name }) => name === 'fiat.poll')
  if (!task) throw new Error('There is no task fiat.poll')
  let id = ''
  const create = async () => {
    const line = `POST ${samples.offramp.path}`
    id = (await dataOf(line, merchant.call(line, { body: samples.offramp.body() }))).id
  }
  const createRoute = async () => {
    const line = `POST ${samples.route.path}`
    await dataOf(line, merchant.call(line, { body: samples.route.body() }))
  }
  const fund = async () => {
    const [line, body] = samples.offramp.fund(id)
    await dataOf(line, merchant.call(line, { body }))
  }
  // The task begins polls and does not wait for them.
  const poll = async () => {
    await task.run(service.runtime)
    for (const until = Date.now() + 10_000; Date.now() < until; await sleep(10)) {
      const { rows } = await service.runtime.pool.query('select status from offramps where id = $1', [id])
      if (rows[0].status !== 'pending') return
    }
    throw new Error('The poll found no deposit')
  }
  await create()
  await fund()
  await poll()
  const request = await entered(create)
  await createRoute()
  const route = await entered(createRoute)
  await fund()
  process.stdout.write(`\n${JSON.stringify({ request, route, poll: await entered(poll) })}\n`)
} finally {
  await service.stop()
  await database.close()
}
