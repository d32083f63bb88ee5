import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call, launchArtefact, startReceiver } from '#testing'
import { openApiDocument } from './openapi/document.ts'
import type { Json } from './openapi/json.ts'

test('a merchant signs up, creates a payment route and receives a verified webhook of a completed deposit', async () => {
  const receiver = await startReceiver()
  const service = await launchArtefact({ settings: { WEBHOOK_DEV_TARGETS: receiver.origin } })
  try {
    const registered = await call(service, 'POST /v1/auth/register', {
      body: { email: 'ada@example.com', organisationName: 'Ada Ltd' },
      key: null,
    })
    expect(registered.status).toBe(200)
    const code = await emailedCode(service.dataDir)
    const verified = await call(service, 'POST /v1/auth/otp/verify', {
      body: { challengeId: registered.body.data.challengeId, code },
      key: null,
    })
    expect(verified.body).toMatchObject({
      status: 'success',
      message: 'Signed in',
      data: { tokenType: 'Bearer', organisation: { role: 'owner' } },
    })
    const session = verified.body.data.accessToken
    const created = await call(service, 'POST /v1/api-keys', {
      body: { name: 'First', environment: 'test' },
      token: session,
      key: null,
    })
    expect(created.status).toBe(201)
    const token = created.body.data.key
    expect(token).toMatch(/^svc_test_[A-Za-z0-9]{32}$/)

    const endpoint = await call(service, 'POST /v1/webhooks', { body: { url: receiver.url }, token })
    expect(endpoint.status).toBe(201)
    const secret: string = endpoint.body.data.secret
    const customer = await call(service, 'POST /v1/customers', {
      body: { name: 'Bola', email: 'bola@example.com' },
      token,
    })
    const route = await call(service, 'POST /v1/payment-routes', {
      token,
      body: {
        name: 'Treasury',
        originChainKey: 'ethereum',
        destinationChainKey: 'base',
        destinationCurrency: 'USDC',
        destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
        customerId: customer.body.data.id,
      },
    })
    expect(route.body).toMatchObject({
      status: 'success',
      message: 'Payment route created',
      data: { status: 'active', originCurrency: 'USDC' },
    })
    const deposit = await call(service, `POST /v1/sandbox/payment-routes/${route.body.data.id}/deposits`, {
      token,
      body: { amount: '12.5' },
    })
    expect(deposit.status).toBe(201)

    const received = await receiver.until((all) => all.some((one) => JSON.parse(one.body).data.status === 'completed'))
    expect(received.map((one) => one.headers['x-service-event'])).toEqual([
      'payment_route.created',
      'payment_route.deposit.updated',
      'payment_route.deposit.updated',
    ])
    const { webhooks } = openApiDocument('merchants') as { webhooks: Record<string, { post: { parameters: Json[] } }> }
    for (const one of received) {
      const documented = webhooks[String(one.headers['x-service-event'])]?.post.parameters.map(({ name }) =>
        String(name).toLowerCase(),
      )
      const signed = Object.keys(one.headers).filter((name) => /^(x-service|webhook)-/.test(name))
      expect(documented?.toSorted()).toEqual(signed.filter((name) => name !== 'x-service-challenge').toSorted())
      const [t, v1] = String(one.headers['x-service-signature'])
        .split(',')
        .map((part) => part.split('=')[1])
      expect(v1).toBe(createHmac('sha256', secret).update(`${t}.${one.body}`).digest('hex'))
    }
    const last = JSON.parse(received.at(-1)?.body ?? '{}')
    expect(last.data).toMatchObject({
      status: 'completed',
      previousStatus: 'pending',
      paymentRouteId: route.body.data.id,
    })

    const transactions = await call(service, 'GET /v1/transactions', { token })
    expect(transactions.body.data.total).toBe(1)
    expect(transactions.body.data.transactions[0]).toMatchObject({
      kind: 'payment_route',
      customerName: 'Bola',
      status: 'completed',
      amount: '12.5 USDC',
      amountUsd: '12.5',
      receipt: {
        type: 'payment_route_deposit',
        routeName: 'Treasury',
        origin: { network: 'ethereum', symbol: 'USDC', amount: '12.5' },
      },
    })
  } finally {
    await service.stop()
    await receiver.close()
  }
})

async function emailedCode(dataDir: string): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      const [file] = readdirSync(join(dataDir, 'mail'))
      const code = file && readFileSync(join(dataDir, 'mail', file), 'utf8').match(/Your code is (\d{6})/)?.[1]
      if (code) return code
    } catch {
      // The folder is created with the first email.
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('No code arrived')
}
