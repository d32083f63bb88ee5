import { call, type Data, dataOf, until } from '../service/client.ts'
import { START_SESSION, samples } from './samples.ts'

/** Sends a request with a key, or as a payer without one. @throws Error on an answer that is no success */
export const senderOf =
  (service: { readonly url: string }, key: string) =>
  (line: string, body?: object, token: string | null = key): Promise<Data> =>
    dataOf(line, call(service, line, { token, ...(body ? { body } : {}), ...(token ? {} : { key: null }) }))

type Send = ReturnType<typeof senderOf>

/** Starts a session of a link as its payer, and pays it in the sandbox. Returns the session's id. @throws Error when it is not paid in time */
export async function payLink(send: Send, linkId: string, payer: object = {}): Promise<string> {
  const { id } = await send(`POST /v1/pay/${linkId}`, { ...START_SESSION, ...payer }, null)
  await send(...samples.collection.fund(id))
  const paid = async () => (await send(`GET /v1/collections/${id}`)).status === 'paid'
  await until('The session is paid', paid, { everyMs: 500 })
  return id
}

/** The body of an invoice that says who asks whom, and for what, as accounting programs read it: its seller and its buyer are created. */
export async function invoiceBody(send: Send, email: string) {
  await send('PATCH /v1/branding', { legalName: 'Ada Ltd', country: 'NG', taxId: '12345678-0001' })
  const { id: customerId } = await send('POST /v1/customers', samples.customer.body({ email, country: 'NG' }))
  const items = [{ description: 'Consulting', quantity: 1, unitAmount: '25', taxPercent: 7.5 }]
  const priced = { type: 'invoice', amount: undefined, pricing: { currency: 'USD' }, items, customerId }
  return { ...samples.collection.body(priced), customerId }
}
