// The proof itself, on the machine that machine.sh makes: `node inside.ts <size> <seed>`. Writes its report to file descriptor 3.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { everyDomain } from '@payments/api'
import { root } from '@payments/checks'
import { newId } from '@payments/kernel'
import { checkLedger } from '@payments/ledger'
import { call, signIn, until } from '@payments/stand'
import { Pool } from 'pg'
import { changeableTables } from '../resilience/cluster/beside-dump.ts'
import type { Tenant } from '../resilience/cluster/load.ts'
import { failuresOf, underLoad } from '../resilience/cluster/phases.ts'
import { type Guide, pagesIn, startGuide } from '../resilience/machine/guide.ts'
import { options, PATH, report } from '../resilience/machine/program.ts'
import { alertsWatched } from './alerts.ts'
import { useEverything } from './late.ts'
import { DOMAIN, type Outside, startOutside } from './outside.ts'
import { LAST, NEXT } from './releases.ts'
import { furtherSettings, linesOf, providerKeys, settingsIn } from './settings.ts'
import { checkSettings } from './starts.ts'
import { goLive, SERVICE, send, tellStories } from './stories.ts'

const { size, seed, log } = options
/** Requests at once: the machine is to be busy, and not overloaded. */
const CLIENTS = 3
/** Of the full form. */
const RESTARTS = 5
/** Of a provider. */
const NEW_KEY = 'relay-key-2'
const CERTIFICATE = '/root/payments.pem'
const FURTHER_SETTINGS = '/root/further-settings'
/** The sessions of the operators' command line. */
const OPS = '/root/.local/state/payments-ops'
const CUSTOMERS = 'Operators and the first customer'
const ROTATE = 'Rotate secrets'
const UPGRADE = 'Restart, upgrade and roll back'
/** The fee payer's SOL. */
const LAMPORTS = 10n ** 10n
const OPERATOR = 'grace@operator.test'
const CUSTOMER = { email: 'ada@merchant.test', organisationName: 'Adire Textiles' }
/** Pages whose commands are not part of an installation. */
const OTHER_PAGES = ['backup.md', 'cells.md', 'command-line.md', 'data.md', 'drill.md', 'high-availability.md']

const started = performance.now()
const seconds = () => Math.round((performance.now() - started) / 100) / 10
const findings: string[] = []
const figures: Record<string, unknown> = { size }

/** What the packages of Debian leave: a cluster without data, and nothing of the service. */
function prepareMachine(): void {
  execFileSync('sh', ['-c', 'rm -rf /etc/postgresql/* /var/lib/postgresql/* /etc/payments /opt/payments /root/.local'])
  const [version = ''] = readdirSync('/usr/lib/postgresql').toReversed()
  execFileSync('pg_createcluster', [version, 'main'], { stdio: 'ignore' })
  rmSync('/usr/local/bin/node', { force: true })
  symlinkSync(process.execPath, '/usr/local/bin/node')
}

const openGuide = (outside: Outside): Guide =>
  startGuide(pagesIn(join(root, 'docs/operators'), OTHER_PAGES), {
    HOME: '/root',
    PATH,
    NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt',
    DEBIAN_FRONTEND: 'noninteractive',
    ...{ DOMAIN, CERTIFICATE, FURTHER_SETTINGS, VERSION: LAST, NEXT, RELEASES: `file://${process.env.RELEASES}` },
    ...{ SMTP_URL: outside.mailServer(), OPERATOR_EMAIL: OPERATOR },
    ...{ ALERTS_URL: `${outside.alerts.origin}/alerts`, WATCHDOG_URL: `${outside.alerts.origin}/watchdog?a=1&b=2` },
    ...{ CUSTOMER_EMAIL: CUSTOMER.email, CUSTOMER_NAME: CUSTOMER.organisationName },
  })

/** From the first block to a customer with live access, in its session. */
async function install(guide: Guide, { mailbox, chain }: Outside) {
  await guide.run('What you need')
  await guide.run('Database')
  await guide.run('Settings')
  const feePayer = await guide.run('Schema and processes')
  await chain.payLamports(feePayer.trim() as never, LAMPORTS)
  await guide.run('HTTPS and metrics')
  log('installed')
  await guide.run(CUSTOMERS, 1)
  await guide.set('CODE', await mailbox.codeFor(OPERATOR))
  await guide.run(CUSTOMERS, 2)
  const session = await signIn(SERVICE, mailbox, CUSTOMER)
  await guide.run(CUSTOMERS)
  log('the first customer has live access')
  return session
}

let tenants = 0
/** An organisation that an operator invites, with a key of the sandbox. */
async function newTenant({ mailbox }: Outside): Promise<Tenant> {
  const [file = ''] = readdirSync(OPS)
  const { session: operator } = JSON.parse(readFileSync(join(OPS, file), 'utf8'))
  const email = `${newId()}@load.test`
  await send(operator.accessToken, 'POST /v1/auth/invitations', { email, role: 'owner' })
  const own = await signIn(SERVICE, mailbox, { email, organisationName: `Load ${++tenants}` })
  const { key } = await send(own.accessToken, 'POST /v1/api-keys', { name: 'Load', environment: 'test' })
  return { organisationId: own.organisation.id, key }
}

/** The last errors that the processes logged. */
const errorsLogged = (): string[] =>
  execFileSync('journalctl', ['--unit=payments@*', '--output=cat', '--quiet'], { encoding: 'utf8', maxBuffer: 2 ** 30 })
    .split('\n')
    .filter((line) => line.includes('"level":"error"'))
    .slice(-5)

/** Every process answers Prometheus, as its own record says. */
const scraped = async (): Promise<boolean> => {
  const answer = await fetch('http://127.0.0.1:9090/api/v1/query?query=count(up==1)')
  return ((await answer.json()) as { data: { result: { value: unknown[] }[] } }).data.result[0]?.value[1] === '5'
}

async function prove(): Promise<void> {
  prepareMachine()
  const outside = await startOutside(seed, CERTIFICATE)
  const { from, migrations } = JSON.parse(process.env.COMPARED ?? '')
  log('prepared')
  writeFileSync(FURTHER_SETTINGS, linesOf({ ...providerKeys(outside), ...furtherSettings() }))
  const guide = openGuide(outside)
  const session = await install(guide, outside)
  figures.installedSeconds = seconds()
  const customer = await goLive(outside, session)
  const { DATABASE_OWNER_URL: connectionString } = settingsIn(readFileSync('/etc/payments/owner', 'utf8'))
  const pool = new Pool({ connectionString, max: 2 })
  const served = { url: SERVICE.url, newTenant: () => newTenant(outside) }
  const loaded = async (name: string, work: () => Promise<unknown>) => {
    const stage = await underLoad(
      { pool },
      served,
      async (load) => {
        load.take()
        const since = seconds()
        await work()
        const seen = load.take()
        const { requests, failures, slowestMs } = seen
        const own = { requests, lost: failures.length, slowestMs, seconds: Math.round(seconds() - since) }
        return { findings: failuresOf(name, seen), figures: own }
      },
      CLIENTS,
    )
    findings.push(...stage.findings)
    figures[name] = stage.figures
    log(`${name}: ${JSON.stringify(stage.figures)}`)
  }
  await guide.run(UPGRADE, 1)
  if (size === 'full')
    await loaded('restarted', async () => {
      for (let round = 0; round < RESTARTS; round++) await guide.execute('restart')
    })
  await guide.run(UPGRADE, 1)
  await loaded('upgraded', () => guide.run(UPGRADE, 1))
  Object.assign(figures.upgraded as object, { from, migrations })
  findings.push(...(await changeableTables({ pool })))
  // The documents are of the version that runs now.
  const used = await useEverything(outside, {
    ...{ guide, pool },
    settings: ['settings', 'further-settings', 'owner']
      .map((name) => readFileSync(`/etc/payments/${name}`, 'utf8'))
      .join(''),
  })
  findings.push(...used.findings)
  figures.used = used.figures
  log(`used ${JSON.stringify(used.figures)}`)
  // Everything that an operator rotates, and what the customer does.
  const rotate = () => Promise.all([guide.run(ROTATE, 1), signIn(SERVICE, outside.mailbox, { email: CUSTOMER.email })])
  await guide.set('SMTP_URL', outside.mailServer())
  writeFileSync(FURTHER_SETTINGS, linesOf({ ...providerKeys(outside, NEW_KEY), ...furtherSettings() }))
  await loaded('new secrets known', rotate)
  const [stories] = await Promise.all([tellStories(outside, customer), loaded('new secrets used', rotate)])
  figures.stories = stories
  log(`stories ${JSON.stringify(stories)}`)
  outside.endOldPasswords()
  await send(session.accessToken, 'GET /v1/auth/me')
  const { secret } = await send(customer.key, `POST /v1/webhooks/${customer.endpointId}/rotate-secret`)
  await tellStories(outside, { ...customer, secret }, ['payment route', 'offramp'])
  if (outside.relay.calls.at(-1)?.key !== NEW_KEY) findings.push('The provider was not called with its new key')
  findings.push(...(await checkSettings(outside)))
  log('settings')
  await guide.run(ROTATE, 1)
  await loaded('rolled back', () => guide.run(UPGRADE, 1))
  const old = await call(SERVICE, 'GET /v1/auth/me', { token: session.accessToken })
  if (old.status !== 401) findings.push(`A token of the key that was removed was answered with ${old.status}`)
  const { refreshToken } = session
  await send(null, 'POST /v1/auth/refresh', { refreshToken })
  await until('Prometheus reads every process', scraped)
  findings.push(...(await alertsWatched(outside)))
  const ledger = await checkLedger({ pool, domains: everyDomain })
  findings.push(...ledger.findings.map(({ check, id, message }) => `ledger, ${check} ${id}: ${message}`))
  await pool.end()
  findings.push(...guide.rest().map(({ page, line }) => `${page}:${line} was not run`))
  guide.close()
}

await report(async () => {
  await prove().catch((error: Error) => void findings.push(error.stack ?? error.message))
  // The machine ends with this process, and its logs with it.
  if (findings.length > 0) for (const line of errorsLogged()) log(line)
  return { findings, figures }
})
