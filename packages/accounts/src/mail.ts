import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { job, type Settings, type Work } from '@payments/kernel'
import { createTransport, type Transporter } from 'nodemailer'
import { z } from 'zod'

const Box = z.object({ box: z.string() })
const Mail = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  /** False for a letter that nobody may receive: it is posted for the sake of equal work, and thrown away. */
  deliver: z.boolean(),
  /** After this time the letter is of no use. */
  until: z.iso.datetime(),
})
type Mail = z.infer<typeof Mail>

const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

const transports = new WeakMap<Settings, Transporter>()

function transportOf(settings: Settings): Transporter {
  const known = transports.get(settings)
  if (known) return known
  const made = settings.SMTP_URL
    ? createTransport({ url: settings.SMTP_URL, ...TIMEOUTS })
    : createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  transports.set(settings, made)
  return made
}

/** Over SMTP where `SMTP_URL` is set; else each message becomes an `.eml` file in DATA_DIR/mail (refused in production). */
async function send(settings: Settings, { to, subject, text, html }: Mail): Promise<void> {
  const sent = await transportOf(settings).sendMail({ from: settings.MAIL_FROM, to, subject, text, html })
  if (settings.SMTP_URL) return
  const directory = join(settings.DATA_DIR, 'mail')
  await mkdir(directory, { recursive: true })
  const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`
  await writeFile(join(directory, name), sent.message as Buffer, { mode: 0o600 })
}

/** Delivers one letter. The letter travels encrypted in the job: it may hold a code. */
export const mailJob = job({
  name: 'accounts.mail',
  data: Box,
  async run(runtime, { box }) {
    const mail = Mail.parse(JSON.parse(runtime.keyring.open(box, 'mail')))
    if (mail.deliver && new Date(mail.until) > new Date()) await send(runtime.settings, mail)
  },
})

/** Posts a letter: it goes out after the commit, and only then. */
export const post = (work: Work, mail: Mail): Promise<void> =>
  work.enqueue(mailJob, { box: work.runtime.keyring.seal(JSON.stringify(mail), 'mail') })
