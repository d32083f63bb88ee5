/** The same story with each client: a customer, a route for it, a deposit that arrives, and the transaction in the list. */
const HEAD = `import { randomUUID, randomBytes } from 'node:crypto'
const url = process.env.API_URL ?? ''
const key = process.env.API_KEY ?? ''
const once = () => ({ 'Idempotency-Key': randomUUID() })
const route = (customerId: string) => ({
  name: 'Treasury', originChainKey: 'ethereum', destinationChainKey: 'base', destinationCurrency: 'USDC',
  destinationAddress: '0x' + randomBytes(20).toString('hex'), customerId,
})
const ada = { name: 'Ada Obi', email: 'ada@example.com' }
const end = (transactions: { kind: string; amount: string }[]) => {
  const found = transactions.find(({ kind }) => kind === 'payment_route')
  if (!found) throw new Error('The transaction is not in the list')
  process.stdout.write(found.amount + '\\n')
}
`

export const stories = {
  'openapi-typescript': `import createClient from 'openapi-fetch'
import type { paths } from './api'
${HEAD}
const client = createClient<paths>({ baseUrl: url, headers: { authorization: 'Bearer ' + key } })
async function tell() {
  const customer = await client.POST('/customers', { body: ada, params: { header: once() } })
  // @ts-expect-error a customer needs an email
  const wrong = () => client.POST('/customers', { body: { name: 'Ada' }, params: { header: once() } })
  const id = customer.data?.data.id ?? ''
  const made = await client.POST('/payment-routes', { body: route(id), params: { header: once() } })
  const path = { paymentRouteId: made.data?.data.id ?? '' }
  await client.POST('/sandbox/payment-routes/{paymentRouteId}/deposits', { body: { amount: '12.50' }, params: { path, header: once() } })
  await client.POST('/sandbox/advance', { body: { seconds: 60 }, params: { header: once() } })
  await client.POST('/payment-routes/{paymentRouteId}/deposits/sync', { params: { path, header: once() } })
  const list = await client.GET('/transactions', { params: { query: { customerId: id } } })
  end(list.data?.data.transactions ?? [])
}
tell().catch((error) => { console.error(error); process.exit(1) })
`,
  '@hey-api/openapi-ts': `import { client } from './client.gen'
import { customersCreate, paymentRoutesCreate, transactionsList, sandboxAdvance, sandboxPaymentRoutesDeposit, paymentRoutesSyncDeposits } from './sdk.gen'
${HEAD}
client.setConfig({ baseUrl: url, auth: key, throwOnError: true })
async function tell() {
  const customer = await customersCreate({ body: ada, headers: once() })
  // @ts-expect-error a customer needs an email
  const wrong = () => customersCreate({ body: { name: 'Ada' }, headers: once() })
  const id = customer.data?.data.id ?? ''
  const made = await paymentRoutesCreate({ body: route(id), headers: once() })
  const path = { paymentRouteId: made.data?.data.id ?? '' }
  await sandboxPaymentRoutesDeposit({ path, body: { amount: '12.50' }, headers: once() })
  await sandboxAdvance({ body: { seconds: 60 }, headers: once() })
  await paymentRoutesSyncDeposits({ path, headers: once() })
  const list = await transactionsList({ query: { customerId: id } })
  end(list.data?.data.transactions ?? [])
}
tell().catch((error) => { console.error(error); process.exit(1) })
`,
  orval: `import { customersCreate, paymentRoutesCreate, transactionsList, sandboxAdvance, sandboxPaymentRoutesDeposit, paymentRoutesSyncDeposits } from './api'
${HEAD}
const options = () => ({ headers: { authorization: 'Bearer ' + key, ...once() } })
async function tell() {
  const customer = await customersCreate(ada, options())
  // @ts-expect-error a customer needs an email
  const wrong = () => customersCreate({ name: 'Ada' }, options())
  if (customer.status !== 201) throw new Error(customer.data.message)
  const { id } = customer.data.data
  const made = await paymentRoutesCreate(route(id), options())
  if (made.status !== 201) throw new Error(made.data.message)
  const routeId = made.data.data.id
  await sandboxPaymentRoutesDeposit(routeId, { amount: '12.50' }, options())
  await sandboxAdvance({ seconds: 60 }, options())
  await paymentRoutesSyncDeposits(routeId, options())
  const list = await transactionsList({ customerId: id }, options())
  if (list.status !== 200) throw new Error(list.data.message)
  end(list.data.data.transactions)
}
tell().catch((error) => { console.error(error); process.exit(1) })
`,
} as const
