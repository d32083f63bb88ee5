import {
  call,
  type Merchant,
  newMerchant,
  OVER_TLS,
  productionSettings,
  runService,
  START_SESSION,
  samples,
  startDatabase,
  trustedLoopback,
} from '@payments/stand'
import { expect, test } from 'vitest'
import { fakeRelay } from '../providers/fakes.ts'

/** Quotes that the provider allows a minute, as Relay allows without an agreement. */
const QUOTES = 50

interface QuotesReport {
  readonly findings: string[]
  /** Starts of strangers, and those that got a session. */
  readonly figures: { readonly starts: number; readonly started: number; readonly quotes: number }
}

/**
 * Strangers start sessions at the public links of two merchants, at a provider with few quotes: from three addresses, then from as many as they
 * send starts. All the time a third merchant's checkout and payment routes must succeed.
 * @param starts of strangers in each part
 */
async function strangersTakeQuotes(starts: number): Promise<QuotesReport> {
  const database = await startDatabase()
  try {
    const relay = await fakeRelay({ tls: (await trustedLoopback()).tls })
    try {
      const service = await runService(database, {
        live: 'configured',
        logLevel: 'fatal',
        settings: productionSettings(database, {
          RELAY_BASE_URL: relay.url,
          RELAY_API_KEY: 'relay-key',
          RELAY_QUOTES_PER_MINUTE: `${QUOTES}`,
        }),
      })
      try {
        return await attack(service, starts, () => relay.requests.length)
      } finally {
        await service.stop()
      }
    } finally {
      await relay.close()
    }
  } finally {
    await database.close()
  }
}

type Service = Awaited<ReturnType<typeof runService>>

async function attack(service: Service, starts: number, quotes: () => number): Promise<QuotesReport> {
  const findings: string[] = []
  let [sent, started] = [0, 0]
  const create = async (merchant: Merchant, given: object = {}): Promise<string> => {
    const { status, body, text } = await merchant.call('POST /v1/collections', {
      body: samples.collection.body({ ...given }),
      headers: OVER_TLS,
    })
    if (status !== 201) throw new Error(`POST /v1/collections: ${status} ${text}`)
    return body.data.id
  }
  const start = (id: string, address: string) =>
    call(service, `POST /v1/pay/${id}`, {
      body: START_SESSION,
      token: null,
      key: null,
      headers: { ...OVER_TLS, 'x-forwarded-for': address },
    })
  const [third, ...attacked] = await Promise.all(
    Array.from({ length: 3 }, () => newMerchant(service, { environment: 'live' })),
  )
  const links: string[] = []
  for (const merchant of [...attacked, ...attacked]) links.push(await create(merchant))
  for (const [name, addresses] of Object.entries({ 'three addresses': 3, 'an address for each start': 200 })) {
    for (let number = 0; number < starts; number++) {
      const { status } = await start(links[number % links.length] ?? '', `198.51.100.${number % addresses}`)
      sent++
      if (status === 200) started++
      else if (status !== 503) findings.push(`${name}: a start of a stranger was answered with ${status}`)
    }
    const checkout = await start(await create(third as Merchant, { type: 'checkout' }), '203.0.113.7')
    if (checkout.status !== 200)
      findings.push(`${name}: the checkout of another merchant was answered with ${checkout.status}`)
    const { path, body } = samples.route
    const route = await (third as Merchant).call(`POST ${path}`, { body: body(), headers: OVER_TLS })
    if (route.status !== 201)
      findings.push(`${name}: POST ${path} of another merchant was answered with ${route.status}`)
  }
  return { findings, figures: { starts: sent, started, quotes: quotes() } }
}

test('while strangers start sessions at the links of two merchants, a third one’s checkout and payment routes succeed', async () => {
  const { findings, figures } = await strangersTakeQuotes(40)
  expect(findings).toEqual([])
  expect(figures).toMatchObject({ starts: 80, started: 15 })
}, 120_000)
