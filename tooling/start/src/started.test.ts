import { documentProblems, everyDocument, newMerchant, signedIn, startMailbox } from '@payments/stand'
import { afterAll, expect, test } from 'vitest'
import { useArtefact } from '#testing'

const mailbox = await startMailbox()
afterAll(() => mailbox.close())
const service = useArtefact({ settings: { SMTP_URL: mailbox.url } })

test('what is started makes every document in every format, and sends an invoice with its PDF', async () => {
  const { key, organisationId } = await newMerchant(service)
  const { accessToken: session } = await signedIn(service.runtime, { organisationId, role: 'owner' })
  const email = `${crypto.randomUUID()}@example.com`
  const made = await everyDocument({ url: service.url, key, session }, email)
  expect(made.length).toBe(11)
  expect(documentProblems(made)).toEqual([])
  // The receipt to the payer, and the invoice.
  await mailbox.emailTo(email, 1)
  const attached = mailbox.emails.filter(({ to, raw }) => to === email && raw.includes('application/pdf'))
  expect(attached.length).toBe(1)
})
