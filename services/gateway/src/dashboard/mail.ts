import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Process } from '@payments/api'
import type { Settings } from '@payments/platform'
import type { Context } from 'koa'
import { DOCS_POLICY, escapeHtml } from '../docs/layout.ts'
import { errors } from '../operations/errors.ts'
import type { Gateway } from '../operations/state.ts'

const NEWEST = 20
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']

/**
 * May this caller read the emails? They have codes, so only in development, where emails are files, and only from this machine: nobody in
 * the same network, nobody through a tunnel or proxy that keeps its own name, and no page of another site whose name was pointed here
 * (DNS rebinding).
 */
export const showsMail = (settings: Settings, { host, req }: Pick<Context, 'host' | 'req'>): boolean =>
  !settings.production &&
  LOOPBACK.includes(hostnameOf(host)) &&
  isLoopback(req.socket.remoteAddress ?? '') &&
  !FORWARDED.some((name) => name in req.headers)

const isLoopback = (address: string): boolean => /^(127\.|::1$|::ffff:127\.)/.test(address)

/** Shows the newest emails of a development service, as text. */
export function mountMail(router: Gateway, { runtime: { settings } }: Process): void {
  if (settings.production) return
  router.get('/dev/mail', async (ctx) => {
    if (!showsMail(settings, ctx)) throw errors.not_found()
    const folder = join(settings.DATA_DIR, 'mail')
    const files = (await readdir(folder).catch(() => []))
      .filter((file) => file.endsWith('.eml'))
      .sort()
      .reverse()
    const messages = await Promise.all(files.slice(0, NEWEST).map((file) => readFile(join(folder, file), 'utf8')))
    ctx.set('Content-Security-Policy', DOCS_POLICY)
    ctx.type = 'text/html'
    ctx.body = page(messages.map(readMessage))
  })
}

const hostnameOf = (host: string): string => (URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '')

interface Message {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Of a message as this service writes it, the headers and the first plain text. */
export function readMessage(raw: string): Message {
  const [head = ''] = raw.split('\r\n\r\n')
  const header = (name: string) =>
    new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, 'im').exec(head)?.[1]?.replace(/\r\n[ \t]+/g, ' ') ?? ''
  const part = /content-type: text\/plain[\s\S]*?\r\n\r\n([\s\S]*?)(?:\r\n--|$)/i.exec(raw)
  const encoding = /content-transfer-encoding: ([\w-]+)/i.exec(part?.[0].split('\r\n\r\n')[0] ?? '')?.[1]
  return { to: words(header('To')), subject: words(header('Subject')), text: decoded(part?.[1] ?? '', encoding) }
}

function decoded(text: string, encoding: string | undefined): string {
  if (encoding?.toLowerCase() === 'base64') return Buffer.from(text, 'base64').toString('utf8')
  if (encoding?.toLowerCase() !== 'quoted-printable') return text
  return fromHex(text.replace(/=\r\n/g, ''))
}

/** `=E2=82=AC` as the characters of those bytes. */
const fromHex = (text: string): string =>
  text.replace(/(?:=[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString('utf8'))

/** Encoded words of a header (RFC 2047). */
const words = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_whole, kind: string, value: string) =>
      kind.toLowerCase() === 'b' ? Buffer.from(value, 'base64').toString('utf8') : fromHex(value.replaceAll('_', ' ')),
    )

const page = (messages: readonly Message[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Emails · Payments</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/guides.css">
</head>
<body>
<main class="mailbox" id="content">
<h1>Emails</h1>
<p>Without a mail server, this development service writes its emails to a folder. These are the newest ${NEWEST}. <a href="/dev/mail">Show new emails</a></p>
${messages.map(article).join('\n') || '<p>No email is here yet. Sign in, and the code is; where SMTP_URL is set, emails go to that server.</p>'}
</main>
</body>
</html>
`

const article = ({ to, subject, text }: Message): string =>
  `<article><h2>${escapeHtml(subject)}</h2><p>To ${escapeHtml(to)}</p><pre class="mail" tabindex="0">${escapeHtml(text.trim())}</pre></article>`
