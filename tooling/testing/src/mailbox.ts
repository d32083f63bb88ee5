import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface ReceivedEmail {
  readonly to: string
  /** The raw message, with headers and parts. */
  readonly raw: string
}

export interface Mailbox {
  /** For the setting `SMTP_URL`. */
  readonly url: string
  readonly emails: readonly ReceivedEmail[]
  /** The newest email to an address after `after` earlier ones; waits for it. */
  emailTo(to: string, after?: number): Promise<ReceivedEmail>
  /** The codes in the emails to an address, oldest first. */
  codesTo(to: string): string[]
  /** The newest code mailed to an address after `after` earlier ones; waits for it. */
  codeFor(to: string, after?: number): Promise<string>
  close(): Promise<void>
}

const PATIENCE_MS = 15_000

/** An SMTP server on loopback that stores received emails. */
export async function startMailbox(): Promise<Mailbox> {
  const emails: ReceivedEmail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8')
        for (const { address } of session.envelope.rcptTo) emails.push({ to: address, raw })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  /** The newest of what matches, after `after` earlier ones; waits for it. */
  const newest = async <T>(what: string, find: () => T[], after: number): Promise<T> => {
    const until = Date.now() + PATIENCE_MS
    while (Date.now() < until) {
      const found = find()
      const last = found.at(-1)
      if (last !== undefined && found.length > after) return last
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    throw new Error(`No ${what}`)
  }
  const emailsTo = (to: string) => emails.filter((email) => email.to === to)
  const codesTo = (to: string) => emailsTo(to).flatMap(({ raw }) => raw.match(/Your code is (\d{6})/)?.[1] ?? [])
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    emails,
    emailTo: (to, after = 0) => newest(`email to ${to}`, () => emailsTo(to), after),
    codesTo,
    codeFor: (to, after = 0) => newest(`code to ${to}`, () => codesTo(to), after),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
