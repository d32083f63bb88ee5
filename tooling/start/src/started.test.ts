import { call, dataOf, newMerchant, START_SESSION, samples, signedIn, startMailbox } from '@payments/stand'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { startProcess, useArtefact } from '#testing'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useArtefact()
const PATIENCE_MS = 30_000

test('what is started makes every document: invoice, preview, receipt, statements, and the invoice that is sent', async () => {
  const started = await startProcess(service, { PROCESS_ROLE: 'all', SMTP_URL: mailbox.url })
  onTestFinished(started.stop)
  const merchant = await newMerchant({ url: started.url, runtime: service.runtime })
  const send = (line: string, body?: object, token: string | null = merchant.key) =>
    dataOf(line, call(started, line, { token, body }))
  const email = `${crypto.randomUUID()}@example.com`
  await send('PATCH /v1/branding', { legalName: 'Ada Ltd', country: 'NG', taxId: '12345678-0001' })
  const { id: customerId } = await send('POST /v1/customers', samples.customer.body({ email, country: 'NG' }))
  const body = samples.collection.body({ type: 'invoice', customerId })
  const invoice = await send('POST /v1/collections', body)
  await send(`POST /v1/collections/${invoice.id}/send`)
  const session = await send(`POST /v1/pay/${invoice.id}`, START_SESSION, null)
  await send(...samples.collection.fund(session.id))
  await expect
    .poll(async () => (await send(`GET /v1/collections/${session.id}`)).status, { timeout: PATIENCE_MS })
    .toBe('paid')
  const { accessToken } = await signedIn(service.runtime, { organisationId: merchant.organisationId, role: 'owner' })
  const fileOf = async (line: string, given?: object) => {
    const { status, text } = await call(started, line, { token: accessToken, body: given })
    return [line, status, text.slice(0, 5)]
  }
  const month = new Date().toISOString().slice(0, 7)
  const day = new Date().toISOString().slice(0, 10)
  const pdfs: readonly [line: string, body?: object][] = [
    [`GET /v1/collections/${invoice.id}/invoice.pdf`],
    ['POST /v1/collections/preview', { ...body, format: 'pdf' }],
    [`GET /v1/collections/sessions/${session.id}/receipt.pdf`],
    [`GET /pay/${session.id}/receipt.pdf`],
    [`GET /v1/reports/statement/export?month=${month}&asset=USDC&format=pdf`],
    [`GET /v1/customers/${customerId}/payments/export?from=${day}&to=${day}&format=pdf`],
  ]
  const made = []
  for (const [line, given] of pdfs) made.push(await fileOf(line, given))
  expect(made).toEqual(pdfs.map(([line]) => [line, 200, '%PDF-']))
  expect((await mailbox.emailTo(email)).raw).toContain('application/pdf')
})
