import { webhooks } from '@payments/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { newMerchant, startReceiver, useArtefact } from '#testing'
import { person } from '../../test/cli.ts'

const service = useArtefact()
const swap = {
  ...{ fromCurrency: 'USDC', toCurrency: 'EURC', amount: '100' },
  destinationAddress: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
}

async function merchant() {
  const { key, call } = await newMerchant(service)
  const own = person({ PAYMENTS_URL: service.url, PAYMENTS_API_KEY: key })
  return { ...own, create: async (): Promise<string> => (await call('POST /v1/swaps', { body: swap })).data.id }
}
const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
const ready = (listening: { printed: { err: string } }) =>
  expect.poll(() => listening.printed.err, { timeout: 15_000 }).toContain('Ready')

test('events are forwarded in their order to every server, signed with the printed secret, and printed with what was answered', async () => {
  const servers = [await startReceiver(), await startReceiver({ answer: () => 500 })]
  onTestFinished(() => Promise.all(servers.map((server) => server.close())).then(() => undefined))
  const { start, create } = await merchant()
  const listening = start(
    'listen',
    ...servers.flatMap(({ url }) => ['--forward-to', url]),
    '--events',
    'swap.created',
    '--json',
  )
  await ready(listening)
  const ids = [await create(), await create(), await create()]
  await expect.poll(() => listening.printed.out.split('\n').length, { timeout: 15_000 }).toBe(4)
  listening.stop()
  const { code, out, err } = await listening.ended
  expect(code).toBe(130)
  const printed = lines(out)
  expect(printed.map(({ event }) => event.data.id)).toEqual(ids)
  expect(printed[0].forwards.map(({ status }: { status: number }) => status)).toEqual([200, 500])
  const secret = err.match(/whsec_\S+/)?.[0] ?? ''
  for (const { received } of servers)
    for (const { body, headers } of received)
      expect((await webhooks.constructEvent(body, headers, secret)).type).toBe('swap.created')
  expect(err).toContain(`Go on later with --after ${printed.at(-1).event.id}`)
})

test('a server that is not there is reported, and the next event is still forwarded', async () => {
  const { start, create } = await merchant()
  const gone = await startReceiver()
  await gone.close()
  const listening = start('listen', '--forward-to', gone.url)
  await ready(listening)
  await create()
  await create()
  await expect.poll(() => listening.printed.out.match(/failed: /g)?.length, { timeout: 15_000 }).toBe(2)
  listening.stop()
  await listening.ended
})

test('what happened while nobody listened is received with --after', async () => {
  const { start, create } = await merchant()
  const ids = [await create(), await create()]
  const listening = start('listen', '--after', 'start', '--json')
  await expect.poll(() => listening.printed.out.split('\n').length, { timeout: 15_000 }).toBe(3)
  listening.stop()
  expect(lines((await listening.ended).out).map(({ event }) => event.data.id)).toEqual(ids)
})

test('an event that is sent again reaches every listener of the machine, and nobody else', async () => {
  const server = await startReceiver()
  onTestFinished(() => server.close())
  const { start, run, create } = await merchant()
  expect((await run('events', 'resend', '01936f2a-7c1e-7000-8000-0000000000e1')).code).toBe(2)
  const listening = start('listen', '--forward-to', server.url, '--json')
  await ready(listening)
  await create()
  await server.until((received) => received.length === 1)
  await expect.poll(() => listening.printed.out).toContain('swap.created')
  const [{ event }] = lines(listening.printed.out)
  expect(JSON.parse((await run('events', 'resend', event.id, '--json')).out)).toEqual({
    eventId: event.id,
    listeners: 1,
  })
  const [first, second] = await server.until((received) => received.length === 2)
  expect(second?.body).toBe(first?.body)
  listening.stop()
  await listening.ended
  expect((await run('events', 'resend', event.id)).code).toBe(2)
})
