import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { certificateOf, type Mailbox, type Receiver, random, startMailbox, startReceiver, trust } from '@payments/stand'
import { type Fakes, startFakes } from '../providers/all-fakes.ts'
import { type QoreidServer, startQoreid } from '../providers/fakes.ts'

export const DOMAIN = 'payments.test'
const RECEIVER = 'hooks.merchant.test'
/** The receiver of the reference's examples. */
const EXAMPLE = 'merchant.example'
/** A public address that is on loopback here: see machine.sh. */
const PUBLIC_ADDRESS = '3ffe::1'

/** Everything that is not on the operator's machine: names, an authority, a mail server, providers, and a merchant's receiver. */
export interface Outside extends Fakes {
  readonly mailbox: Mailbox
  /** The address of the mail server with a new password, beside the one before. */
  mailServer(): string
  /** The mail server accepts the newest password alone. */
  endOldPasswords(): void
  readonly receiver: Receiver
  readonly receiverUrl: string
  readonly qoreid: QoreidServer
  /** The collector of traces. */
  readonly traces: Receiver
  /** Where Alertmanager sends what fires, and what fires always. */
  readonly alerts: Receiver
}

/** Starts it, has Debian and this process trust its authority, and writes the certificate of the operator. */
export async function startOutside(seed: number, certificate: string): Promise<Outside> {
  const { authority, tls } = await certificateOf([DOMAIN, RECEIVER, EXAMPLE, 'mail.test', '127.0.0.1'])
  trust(authority)
  mkdirSync('/usr/local/share/ca-certificates', { recursive: true })
  writeFileSync('/usr/local/share/ca-certificates/proof.crt', authority)
  execFileSync('update-ca-certificates', { stdio: 'ignore' })
  writeFileSync(certificate, `${tls.cert}\n${tls.key}`, { mode: 0o600 })
  startNames()
  const passwords = new Set<string>()
  let newest = ''
  const [fakes, mailbox, receiver, qoreid, traces, alerts] = await Promise.all([
    startFakes(tls, random(seed)),
    startMailbox({ tls, accepts: (user, password) => user === 'payments' && passwords.has(password) }),
    startReceiver({ host: PUBLIC_ADDRESS, port: 443, tls }),
    startQoreid({ tls }),
    startReceiver({ port: 4318, answer: () => ({ status: 200, body: '{}' }) }),
    startReceiver({ answer: () => ({ status: 200, body: '' }) }),
  ])
  return {
    ...{ ...fakes, mailbox, receiver, qoreid, traces, alerts },
    receiverUrl: `https://${RECEIVER}/hooks`,
    mailServer() {
      const password = randomBytes(12).toString('hex')
      passwords.add(password)
      newest = password
      return `smtp://payments:${password}@mail.test:${new URL(mailbox.url).port}`
    },
    endOldPasswords() {
      passwords.clear()
      passwords.add(newest)
    },
  }
}

/** The name server of this machine, which knows these names and no others. */
function startNames(): void {
  writeFileSync('/etc/resolv.conf', 'nameserver 127.0.0.1\n')
  const addresses = {
    [DOMAIN]: '192.0.2.1',
    'mail.test': '127.0.0.1',
    [RECEIVER]: PUBLIC_ADDRESS,
    [EXAMPLE]: PUBLIC_ADDRESS,
  }
  spawn(
    'dnsmasq',
    [
      ...['--keep-in-foreground', '--conf-file=/dev/null', '--no-resolv', '--no-hosts', '--local=/test/'],
      ...['--listen-address=127.0.0.1', '--bind-interfaces'],
      ...Object.entries(addresses).map(([name, address]) => `--host-record=${name},${address}`),
    ],
    { stdio: 'ignore' },
  )
}
