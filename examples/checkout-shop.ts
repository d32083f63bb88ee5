// A shop with one article: its button makes a checkout, sends the payer to the pay page, and the order is shipped when the webhook says that it
// is paid. API_KEY=svc_test_… node checkout-shop.ts, then open http://127.0.0.1:9000
import { createServer, type IncomingMessage } from 'node:http'
import { isPaymentsError, Payments, webhooks } from '@payments/sdk'

const SHOP = 'http://127.0.0.1:9000'
const payments = new Payments({ url: 'http://127.0.0.1:4000', apiKey: process.env.API_KEY ?? '' })
const endpoint = await payments.webhooks.create({
  url: `${SHOP}/webhooks`,
  events: ['collection.updated'],
})

/** In your database: orders by number, and the events that were processed. */
const orders = new Map<string, { status: 'new' | 'shipped'; payUrl: string }>()
const processed = new Set<string>()

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => Buffer.concat(await request.toArray())

/** The order's number is the key: a button that is pressed twice makes one checkout. */
async function checkout(number: string): Promise<string> {
  const collection = await payments.collections.create(
    {
      type: 'checkout',
      title: `Order ${number}`,
      amount: '12.50',
      currency: 'USDC',
      destinationChainKey: 'base',
      destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
      metadata: { order: number },
    },
    { idempotencyKey: `order-${number}` },
  )
  orders.set(number, { status: 'new', payUrl: collection.payUrl })
  return collection.payUrl
}

async function receive(request: IncomingMessage): Promise<void> {
  const event = await webhooks.constructEvent(await bodyOf(request), request.headers, endpoint.secret)
  if (event.type !== 'collection.updated' || processed.has(event.id)) return
  processed.add(event.id)
  const { data } = event
  if (data.type !== 'checkout' || data.status !== 'paid') return
  const number = data.metadata.order ?? ''
  const order = orders.get(number)
  if (order) orders.set(number, { ...order, status: 'shipped' })
  console.log('shipped', number)
}

const server = createServer(async (request, response) => {
  const page = `${request.method} ${request.url}`
  try {
    if (page === 'GET /')
      response.end('<form method="post" action="/orders/1042"><button>Buy for 12.50 USDC</button></form>')
    else if (page === 'POST /orders/1042') response.writeHead(303, { location: await checkout('1042') }).end()
    else if (page === 'POST /webhooks') await receive(request).then(() => response.writeHead(204).end())
    else response.writeHead(404).end()
  } catch (error) {
    // A signature that is not right is nobody's order.
    response.writeHead(isPaymentsError(error, 'signature_mismatch') ? 401 : 500).end()
    console.error(error)
  }
})
server.listen(9000, '127.0.0.1', () => console.log(`open ${SHOP}`))
