import { expect, onTestFinished, test } from 'vitest'
import { hasTools, newMerchant, sized, startReceiver, useArtefact } from '#testing'
import { person } from '../test/cli.ts'
import { network, terminal } from '../test/terminal.ts'

const service = useArtefact({ settings: { RATE_LIMIT_GLOBAL: '1000000', RATE_LIMIT_AUTH: '1000000' } })
const EVENTS = sized(10_000, 60)
const AT_ONCE = 8
const PATIENCE = { timeout: 60_000, interval: 100 }
const swap = {
  ...{ fromCurrency: 'USDC', toCurrency: 'EURC', amount: '100' },
  destinationAddress: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
}

test.runIf(hasTools('script'))(
  'in a terminal, listen leaves out no event over a sleep, a lost network, a resend and very many events, and Ctrl-C ends it',
  { timeout: sized(1_800_000, 240_000) },
  async () => {
    const receiver = await startReceiver()
    onTestFinished(() => receiver.close())
    const line = await network(service.url)
    const { key, call } = await newMerchant(service)
    const own = person({ PAYMENTS_URL: line.url, PAYMENTS_API_KEY: key })
    const env = { PAYMENTS_URL: line.url, PAYMENTS_API_KEY: key, PAYMENTS_CONFIG_DIR: own.folder }
    const created: string[] = []
    const create = async (count = 1) => {
      for (let n = 0; n < count; n += AT_ONCE) {
        const batch = Array.from({ length: Math.min(AT_ONCE, count - n) }, () => call('POST /v1/swaps', { body: swap }))
        created.push(...(await Promise.all(batch)).map(({ body }) => body.data.id))
      }
    }
    const bodies = () => receiver.received.map(({ body }) => JSON.parse(String(body)))
    const objects = () => new Set(bodies().map(({ data }) => data.id))
    const all = () => expect.poll(() => created.filter((id) => !objects().has(id)), PATIENCE).toEqual([])

    const listening = await terminal(env, 'listen', '--forward-to', receiver.url, '--events', 'swap.created')
    await expect.poll(listening.shown, PATIENCE).toContain('Ready')
    await create()
    await all()

    listening.sleep()
    await create(3)
    listening.wake()
    await all()

    await line.lose()
    await create(3)
    await line.restore()
    await all()

    const [first] = bodies()
    expect((await own.run('events', 'resend', first.id)).code).toBe(0)
    await expect.poll(() => bodies().filter(({ id }) => id === first.id).length, PATIENCE).toBe(2)

    await create(EVENTS)
    await expect.poll(() => objects().size, { ...PATIENCE, timeout: sized(900_000, 120_000) }).toBe(created.length)
    // Each once, but the one that was sent again and those that were on their way when the network was lost.
    expect(bodies().length).toBeLessThanOrEqual(created.length + 4)
    expect(listening.shown()).toContain('Connected again')
    expect(listening.shown()).toMatch(/swap\.created +[\da-f-]{36}\r\n {2}→ http:\/\/127\.0\.0\.1:\d+\S* {2}200/)

    listening.type('\x03')
    expect(await listening.ended).toBe(130)
    expect(listening.shown()).toContain(`Go on later with --after ${bodies().at(-1).id}`)
  },
)

test.runIf(hasTools('script'))(
  'in a terminal, logs tail goes on after a sleep and a lost network, and Ctrl-C ends it',
  {
    timeout: 240_000,
  },
  async () => {
    const line = await network(service.url)
    const { key, call } = await newMerchant(service)
    const env = { PAYMENTS_URL: line.url, PAYMENTS_API_KEY: key, PAYMENTS_CONFIG_DIR: person().folder }
    const tail = await terminal(env, 'logs', 'tail', '--method', 'POST')
    await expect.poll(tail.shown, PATIENCE).toContain('Ready')
    const rows = () => tail.shown().match(/ 201 {2}POST /g)?.length ?? 0
    const create = () => call('POST /v1/swaps', { body: swap })
    await create()
    await expect.poll(rows, PATIENCE).toBe(1)
    tail.sleep()
    await create()
    tail.wake()
    await expect.poll(rows, PATIENCE).toBe(2)
    await line.lose()
    await expect.poll(tail.shown, PATIENCE).toContain('Connection lost')
    await create()
    await line.restore()
    await expect.poll(rows, PATIENCE).toBe(3)
    expect(tail.shown()).toContain('Connected again')
    tail.type('\x03')
    expect(await tail.ended).toBe(130)
  },
)
