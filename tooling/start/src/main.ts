// The quick start over real HTTP: from sign-up to a verified webhook, one line per step.
import { call, type Data, dataOf, isSigned, type Received, samples, startReceiver } from '@payments/stand'
import { newestCode } from './code.ts'
import { findOrStart } from './service.ts'
import { step } from './step.ts'

function fail(message: string): never {
  throw new Error(message)
}

/** Verifies a delivery as specified (Events, Signature). */
function verified({ headers, body }: Received, secret: string): boolean {
  const signature = String(headers['x-service-signature'])
  const timestamp = Number(signature.match(/t=(\d+)/)?.[1])
  return isSigned(body, signature, secret) && Math.abs(Date.now() / 1000 - timestamp) < 300
}

async function play(): Promise<void> {
  const port = Number(process.env.DEMO_RECEIVER_PORT ?? 9000)
  const receiver = await startReceiver({ port, answer: () => 204 }).catch((error: Error) =>
    fail(`DEMO_RECEIVER_PORT: ${error.message}`),
  )
  const service = await findOrStart(receiver.origin).catch(async (error: unknown) => {
    await receiver.close()
    throw error
  })
  const send = (line: string, body: object | undefined, token: string | null): Promise<Data> =>
    dataOf(line, call(service, line, { token, body }))
  try {
    const email = `demo-${Date.now()}@example.com`
    const registration = { email, organisationName: 'Demo Ltd' }
    const { challengeId } = await send('POST /v1/auth/register', registration, null)
    step('registered', email)
    const code = await newestCode(service.dataDir, email)
    const session = await send('POST /v1/auth/otp/verify', { challengeId, code }, null)
    step('signed in with the mailed code', `organisation ${session.organisation.name}`)
    const { key } = await send('POST /v1/api-keys', { name: 'Demo', environment: 'test' }, session.accessToken)
    step('created a secret key', `${key.slice(0, 9)}…${key.slice(-4)}`)
    const { secret } = await send('POST /v1/webhooks', { url: receiver.url }, key)
    step('registered a webhook endpoint', receiver.url)
    const customer = await send('POST /v1/customers', samples.customer.body({ email: 'ada@example.com' }), key)
    step('created a customer', customer.name)
    const body = samples.route.body({ name: 'Treasury top-up', customerId: customer.id })
    const route = await send('POST /v1/payment-routes', body, key)
    step('created a payment route', `ethereum → base, deposit address ${route.depositAddress}`)
    await send(...samples.route.fund(route.id, { amount: '12.50' }), key)
    step('a payer sends 12.50 USDC (simulated)', '')
    const isFinal = ({ body: text }: Received) => {
      const { type, data } = JSON.parse(text)
      return type === 'payment_route.deposit.updated' && data.status === 'completed'
    }
    const received = await receiver.until((all) => all.some(isFinal), 30_000)
    const { transactions } = await send('GET /v1/transactions', undefined, key)
    step(
      'the ledger has it',
      `${transactions[0]?.amount} from ${transactions[0]?.customerName}, ${transactions[0]?.status}`,
    )
    for (const each of received) {
      if (!verified(each, secret)) fail(`A signature is wrong: ${each.body}`)
      step('webhook received, signature verified', JSON.parse(each.body).type)
    }
    const final = received.find(isFinal)
    step('done', `the completed deposit was delivered as event ${final ? JSON.parse(final.body).id : ''}`)
  } finally {
    await service.stop()
    await receiver.close()
  }
}

play().catch((error: unknown) => {
  process.stderr.write(`✗ ${(error as Error).message}\n`)
  process.exitCode = 1
})
