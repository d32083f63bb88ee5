import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { job, type Settings } from '@payments/kernel'
import { createTransport, type Transporter } from 'nodemailer'
import { z } from 'zod'

const Letter = z.object({ box: z.string() })
const Plain = z.object({ to: z.string(), subject: z.string(), text: z.string(), html: z.string() })
export type Letter = z.infer<typeof Plain>

const transports = new WeakMap<Settings, Transporter>()

/** Over SMTP where `SMTP_URL` is set; else each message becomes an `.eml` file in DATA_DIR/mail (refused in production). */
async function send(settings: Settings, letter: Letter): Promise<void> {
  let transport = transports.get(settings)
  if (!transport) {
    transport = settings.SMTP_URL
      ? createTransport(settings.SMTP_URL)
      : createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
    transports.set(settings, transport)
  }
  const sent = await transport.sendMail({ from: settings.MAIL_FROM, ...letter })
  if (settings.SMTP_URL) return
  const directory = join(settings.DATA_DIR, 'mail')
  await mkdir(directory, { recursive: true })
  await writeFile(
    join(directory, `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`),
    sent.message as Buffer,
  )
}

/** Delivers one letter. The letter travels encrypted in the job: it may hold a code. */
export const mailJob = job({
  name: 'accounts.mail',
  data: Letter,
  async run(runtime, { box }) {
    await send(runtime.settings, Plain.parse(JSON.parse(runtime.keyring.open(box, 'mail'))))
  },
})

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)

/** The letter with a sign-in code, as plain text and HTML. */
export function codeLetter(to: string, code: string): Letter {
  return {
    to,
    subject: `Your sign-in code: ${code}`,
    text: `Your code is ${code}\n\nIt works once, for 10 minutes. If you did not ask for it, ignore this message.\n`,
    html: `<p>Your code is</p><p style="font:600 28px monospace;letter-spacing:4px">${escapeHtml(code)}</p><p>It works once, for 10 minutes. If you did not ask for it, ignore this message.</p>`,
  }
}
