// The quick start over real HTTP: from sign-up to a verified webhook, one line per step.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { api, fail, step } from './api.ts'
import { newestCode } from './code.ts'
import { findOrStart } from './service.ts'

interface Delivery {
  readonly signature: string
  readonly body: string
}

const deliveries: Delivery[] = []
let heard: (() => void) | undefined
const receiver = createServer((req, res) => {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    deliveries.push({
      signature: String(req.headers['x-service-signature']),
      body: Buffer.concat(chunks).toString('utf8'),
    })
    res.writeHead(204).end()
    heard?.()
  })
})

/** Verifies a delivery as specified (Events, Signature). */
function verified({ signature, body }: Delivery, secret: string): boolean {
  const parts = Object.fromEntries(signature.split(',').map((part) => part.split('=') as [string, string]))
  const expected = createHmac('sha256', secret).update(`${parts.t}.${body}`).digest()
  const given = Buffer.from(parts.v1 ?? '', 'hex')
  return (
    given.length === expected.length &&
    timingSafeEqual(given, expected) &&
    Math.abs(Date.now() / 1000 - Number(parts.t)) < 300
  )
}

async function delivery(matches: (event: { type: string; data: { status: string } }) => boolean): Promise<Delivery> {
  const until = Date.now() + 30_000
  while (Date.now() < until) {
    const found = deliveries.find(({ body }) => matches(JSON.parse(body)))
    if (found) return found
    await new Promise<void>((resolve) => {
      heard = resolve
      setTimeout(resolve, 500)
    })
  }
  return fail('No such webhook arrived within 30 s')
}

async function play(): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    receiver.once('error', reject).listen(Number(process.env.DEMO_RECEIVER_PORT ?? 9000), '127.0.0.1', resolve)
  }).catch((error: Error) => fail(`DEMO_RECEIVER_PORT: ${error.message}`))
  const target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const service = await findOrStart(target)
  try {
    const email = `demo-${Date.now()}@example.com`
    const { challengeId } = await api(service.url, 'POST /auth/register', {
      body: { email, organisationName: 'Demo Ltd' },
    })
    step('registered', email)
    const code = await newestCode(service.dataDir, email)
    const session = await api(service.url, 'POST /auth/otp/verify', { body: { challengeId, code } })
    step('signed in with the mailed code', `organisation ${session.organisation.name}`)
    const { key } = await api(service.url, 'POST /api-keys', {
      token: session.accessToken,
      body: { name: 'Demo', environment: 'test' },
    })
    step('created a secret key', `${key.slice(0, 9)}…${key.slice(-4)}`)
    const { secret } = await api(service.url, 'POST /webhooks', { token: key, body: { url: `${target}/webhooks` } })
    step('registered a webhook endpoint', `${target}/webhooks`)
    const customer = await api(service.url, 'POST /customers', {
      token: key,
      body: { name: 'Ada Obi', email: 'ada@example.com' },
    })
    step('created a customer', customer.name)
    const route = await api(service.url, 'POST /payment-routes', {
      token: key,
      body: {
        name: 'Treasury top-up',
        originChainKey: 'ethereum',
        destinationChainKey: 'base',
        destinationCurrency: 'USDC',
        destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
        customerId: customer.id,
      },
    })
    step('created a payment route', `ethereum → base, deposit address ${route.depositAddress}`)
    await api(service.url, `POST /sandbox/payment-routes/${route.id}/deposits`, {
      token: key,
      body: { amount: '12.50' },
    })
    step('a payer sends 12.50 USDC (simulated)', '')
    const final = await delivery(
      (event) => event.type === 'payment_route.deposit.updated' && event.data.status === 'completed',
    )
    const { transactions } = await api(service.url, 'GET /transactions', { token: key })
    step(
      'the ledger has it',
      `${transactions[0]?.amount} from ${transactions[0]?.customerName}, ${transactions[0]?.status}`,
    )
    for (const each of deliveries) {
      if (!verified(each, secret)) fail(`A signature is wrong: ${each.body}`)
      step('webhook received, signature verified', JSON.parse(each.body).type)
    }
    step('done', `the completed deposit was delivered as event ${JSON.parse(final.body).id}`)
  } finally {
    await service.stop()
    receiver.close()
    receiver.closeAllConnections()
  }
}

play().catch((error: unknown) => {
  process.stderr.write(`✗ ${(error as Error).message}\n`)
  process.exitCode = 1
})
