import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type EncryptedColumn, job, type Metric, type Settings, type UnitOfWork } from '@payments/platform'
import type { createTransport, SendMailOptions, Transporter } from 'nodemailer'
import { z } from 'zod'
import { accountsSettings } from '../settings.ts'

const Encrypted = z.object({ box: z.string() })
const Email = z.object({
  to: z.string(),
  /** Where an answer goes, if not to the sender. */
  replyTo: z.string().optional(),
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

/** Emails that a process sends at once, and how many of them may be other than codes: two are kept for codes. */
const WORKERS = 5
const OTHERS = 3
/** How long connections to the mail server stay open without an email, ms. */
const IDLE_MS = 1000

/** Connections to the mail server, and how many emails are on their way over them. */
interface Connections {
  readonly transporter: Transporter
  sending: number
  closing?: NodeJS.Timeout
}
type CreateTransport = typeof createTransport
const connections = new WeakMap<Settings, Connections>()

function connectionsOf(settings: Settings, createTransport: CreateTransport): Connections {
  const open = connections.get(settings)
  if (open) return open
  const { SMTP_URL } = accountsSettings.from(settings)
  const transporter = SMTP_URL
    ? // In production smtp:// means STARTTLS or nothing: codes are not sent in clear.
      createTransport({
        ...{ url: SMTP_URL, ...TIMEOUTS, requireTLS: settings.production },
        ...{ pool: true, maxConnections: WORKERS },
      })
    : createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  // A connection that breaks without an email; one with an email fails that.
  transporter.on('error', () => undefined)
  const created = { transporter, sending: 0 }
  connections.set(settings, created)
  return created
}

/** Sends over an open connection if there is one, and keeps it open for the next email. */
async function sendOver(settings: Settings, message: SendMailOptions): Promise<{ message?: unknown }> {
  // Loaded with the first email: most processes send none.
  const { createTransport } = await import('nodemailer')
  const own = connectionsOf(settings, createTransport)
  clearTimeout(own.closing)
  own.sending++
  try {
    return await own.transporter.sendMail(message)
  } finally {
    own.sending--
    if (own.sending === 0)
      own.closing = setTimeout(() => {
        connections.delete(settings)
        own.transporter.close()
      }, IDLE_MS).unref()
  }
}

/** Sends over SMTP if `SMTP_URL` is set; otherwise writes an `.eml` file into DATA_DIR/mail (refused in production). */
async function transmit(
  settings: Settings,
  { to, replyTo, subject, text, html, attachments: files }: Email,
): Promise<void> {
  const { SMTP_URL, MAIL_FROM } = accountsSettings.from(settings)
  const attachments = files.map(({ filename, contentType, base64 }) => ({
    filename,
    contentType,
    content: Buffer.from(base64, 'base64'),
  }))
  const sent = await sendOver(settings, { from: MAIL_FROM, to, replyTo, subject, text, html, attachments })
  if (SMTP_URL) return
  const directory = join(settings.DATA_DIR, 'mail')
  await mkdir(directory, { recursive: true })
  const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`
  await writeFile(join(directory, name), sent.message as Buffer, { mode: 0o600 })
}

/** Sends an email now, past the queue: for a command that wants to know whether it can be sent. @throws what the mail server says */
export const sendEmailNow = (
  settings: Settings,
  email: Pick<Email, 'to' | 'subject' | 'text' | 'html'>,
): Promise<void> => transmit(settings, { ...email, deliver: true, attachments: [], until: new Date().toISOString() })

/** True when the mail server refuses the recipient for good (RFC 5321, 4.2.1): a further try cannot succeed. */
const isRefused = (error: unknown): boolean => {
  const { command, responseCode } = error as { command?: unknown; responseCode?: unknown }
  return command === 'RCPT TO' && typeof responseCode === 'number' && responseCode >= 500
}

/**
 * Sends one email, and tries again at least every minute for as long as it is valid. Codes come before other emails, and have workers that
 * no other email takes. The job's data is encrypted, because the email may contain a code. The queue keeps its original name, so that
 * emails queued in an existing database are still sent.
 */
export const emailJob = job({
  name: 'accounts.mail',
  data: Encrypted,
  // More tries than any email is valid for: what ends them is its own time.
  queue: { retryLimit: 30_000, retryDelay: 2, retryDelayMax: 60, expireInSeconds: 120 },
  work: { localConcurrency: WORKERS, localGroupConcurrency: OTHERS },
  async run(runtime, { box }) {
    const email = Email.parse(JSON.parse(runtime.keyring.decrypt(box, CONTEXT)))
    if (!email.deliver) return
    if (new Date(email.until) <= new Date()) {
      runtime.log.warn({ subject: email.subject }, 'an email could not be sent while it was valid')
      return
    }
    try {
      await transmit(runtime.settings, email)
    } catch (error) {
      if (!isRefused(error)) throw error
      runtime.log.warn({ err: error }, 'the mail server refuses a recipient')
    }
  },
})

/** How long emails have waited, codes apart from others. */
export const emailMetric: Metric = {
  name: 'emails_waiting_seconds',
  help: 'How long the oldest email has waited to be sent; the mail server is slow or does not answer',
  async read({ pool }) {
    const { rows } = await pool.query<{ urgent: boolean; value: number }>(
      `select priority > 0 as urgent, extract(epoch from now() - min(created_on))::float8 as value
         from pgboss.job where name = 'accounts.mail' and state < 'active' group by 1`,
    )
    return [true, false].map((urgent) => ({
      labels: { kind: urgent ? 'code' : 'other' },
      value: rows.find((row) => row.urgent === urgent)?.value ?? 0,
    }))
  },
}

/** The emails of every queue and state: dead letters, failed and sent ones are kept for a while, with their text. */
export const encryptedEmails: EncryptedColumn = {
  name: 'queued emails',
  select: `select id::text, data->>'box' as value from pgboss.job
            where name in ('accounts.mail', 'dead-letter') and not starts_with(data->>'box', $1) limit $2`,
  update: `update pgboss.job set data = jsonb_set(data, '{box}', to_jsonb($3::text))
            where name in ('accounts.mail', 'dead-letter') and id = $1::uuid and data->>'box' = $2`,
  context: () => CONTEXT,
}

/** An email that is valid for no longer than this is a code, seconds. */
const URGENT_SECONDS = 3600

/** Queues an email. It is sent only if the transaction commits. One that is soon invalid, a code, comes before the others. */
export const sendEmail = (unit: UnitOfWork, email: z.input<typeof Email>): Promise<void> =>
  unit.enqueue(
    emailJob,
    { box: unit.runtime.keyring.encrypt(JSON.stringify(email), CONTEXT) },
    Date.parse(email.until) - Date.now() <= URGENT_SECONDS * 1000 ? { priority: 10 } : { group: { id: 'other' } },
  )
