import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type EncryptedColumn, job, type Settings, type UnitOfWork } from '@payments/platform'
import { createTransport, type Transporter } from 'nodemailer'
import { z } from 'zod'
import { accountsSettings } from './settings.ts'

const Encrypted = z.object({ box: z.string() })
const Email = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  /** False for an address that may not receive the email: it is queued, so that the work is the same, and then discarded. */
  deliver: z.boolean(),
  attachments: z.array(z.object({ filename: z.string(), contentType: z.string(), base64: z.string() })).default([]),
  /** The email is not sent after this time. */
  until: z.iso.datetime(),
})
type Email = z.infer<typeof Email>

const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }
/** Associated data of an encrypted email. */
const CONTEXT = 'mail'

const transports = new WeakMap<Settings, Transporter>()

function transportOf(settings: Settings): Transporter {
  const cached = transports.get(settings)
  if (cached) return cached
  const { SMTP_URL } = accountsSettings.from(settings)
  const transport = SMTP_URL
    ? // In production smtp:// means STARTTLS or nothing: codes are not sent in clear.
      createTransport({ url: SMTP_URL, ...TIMEOUTS, requireTLS: settings.production })
    : createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  transports.set(settings, transport)
  return transport
}

/** Sends over SMTP if `SMTP_URL` is set; otherwise writes an `.eml` file into DATA_DIR/mail (refused in production). */
async function transmit(settings: Settings, { to, subject, text, html, attachments: files }: Email): Promise<void> {
  const { SMTP_URL, MAIL_FROM } = accountsSettings.from(settings)
  const attachments = files.map(({ filename, contentType, base64 }) => ({
    filename,
    contentType,
    content: Buffer.from(base64, 'base64'),
  }))
  const sent = await transportOf(settings).sendMail({ from: MAIL_FROM, to, subject, text, html, attachments })
  if (SMTP_URL) return
  const directory = join(settings.DATA_DIR, 'mail')
  await mkdir(directory, { recursive: true })
  const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`
  await writeFile(join(directory, name), sent.message as Buffer, { mode: 0o600 })
}

/**
 * Sends one email. The job's data is encrypted, because the email may contain a code. The queue keeps its original name,
 * so that emails queued in an existing database are still sent.
 */
export const emailJob = job({
  name: 'accounts.mail',
  data: Encrypted,
  async run(runtime, { box }) {
    const email = Email.parse(JSON.parse(runtime.keyring.decrypt(box, CONTEXT)))
    if (email.deliver && new Date(email.until) > new Date()) await transmit(runtime.settings, email)
  },
})

/** The emails that wait in the queue. */
export const encryptedEmails: EncryptedColumn = {
  name: 'queued emails',
  select: `select id::text, data->>'box' as value from pgboss.job
            where name = 'accounts.mail' and state in ('created', 'retry', 'active') and not starts_with(data->>'box', $1) limit $2`,
  update: `update pgboss.job set data = jsonb_build_object('box', $3::text)
            where name = 'accounts.mail' and id = $1::uuid and data->>'box' = $2`,
  context: () => CONTEXT,
}

/** Queues an email. It is sent only if the transaction commits. */
export const sendEmail = (unit: UnitOfWork, email: z.input<typeof Email>): Promise<void> =>
  unit.enqueue(emailJob, { box: unit.runtime.keyring.encrypt(JSON.stringify(email), CONTEXT) })
