// From nothing to a verified webhook: npm install http://127.0.0.1:4000/sdk/latest.tgz, then API_KEY=svc_test_… node first-webhook.ts
import { createServer } from 'node:http'
import { Payments, webhooks } from '@payments/sdk'

const payments = new Payments({ url: 'http://127.0.0.1:4000', apiKey: process.env.API_KEY ?? '' })
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray())
  const event = await webhooks.constructEvent(body, request.headers, endpoint.secret)
  response.writeHead(204, { connection: 'close' }).end()
  console.log('verified', event.type)
  server.close()
}).listen(9000, '127.0.0.1')

const endpoint = await payments.webhooks.create({ url: 'http://127.0.0.1:9000/webhooks' })
await payments.webhooks.test(endpoint.id)
