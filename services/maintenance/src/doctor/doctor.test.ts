import { writeFileSync } from 'node:fs'
import { createServer as createPlainServer, request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { everyDomain } from '@payments/api'
import { adapters, connectionsOf } from '@payments/gateway'
import { checkFingerprints, type Diagnosis } from '@payments/platform'
import { expect, onTestFinished, test } from 'vitest'
import {
  freePort,
  hasTools,
  startInProduction,
  startMailbox,
  startStandby,
  startSystemPostgres,
  trustedCertificate,
  useService,
} from '#testing'
import { examine } from './examine.ts'
import { asText } from './report.ts'

const certificate = await trustedCertificate()
const service = useService()

/** A proxy with TLS before the service, as an operator sets one up. */
async function startProxy() {
  const proxy = {
    target: '',
    sends: { 'x-forwarded-proto': 'https' } as Record<string, string>,
    passesAddresses: false,
    url: '',
  }
  const server = createServer(certificate.tls, (req, res) => {
    const own = {
      'x-forwarded-for': (proxy.passesAddresses && req.headers['x-forwarded-for']) || '127.0.0.1',
      ...proxy.sends,
    }
    const headers = { ...req.headers, ...own }
    const passed = request(`${proxy.target}${req.url}`, { method: req.method ?? 'GET', headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    passed.on('error', () => res.writeHead(502).end('Bad gateway'))
    req.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await server[Symbol.asyncDispose]()
  })
  proxy.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  return proxy
}

/** The settings of an installation in production, with the process behind its proxy. */
async function installation() {
  const [proxy, mailbox] = [await startProxy(), await startMailbox({ tls: certificate.tls })]
  onTestFinished(() => mailbox.close())
  const env: Record<string, string> = {
    ...{ NODE_ENV: 'production', ENV_NAME: 'doctor-test', BASE_URL: proxy.url, TRUST_PROXY: '127.0.0.1' },
    ...{ SMTP_URL: mailbox.url, OPERATOR_EMAILS: 'operator@example.com', DATA_DIR: service.dataDir },
    ...{ DATABASE_URL: service.database.serviceUrl, DATABASE_OWNER_URL: service.database.ownerUrl },
    ...{
      PAYCREST_API_KEY: 'key',
      PAYCREST_API_SECRET: 'secret-of-callbacks',
      PAYCREST_BASE_URL: 'https://127.0.0.1:1',
    },
  }
  const port = String(await freePort())
  const running = await startInProduction(service, certificate, { ...env, HOST: '127.0.0.1', PORT: port })
  onTestFinished(() => running.stop())
  proxy.target = `http://127.0.0.1:${port}`
  const own = service.runtime.settings as unknown as Record<string, string>
  return {
    proxy,
    mailbox,
    env: { ...env, SECRETS_KEY: own.SECRETS_KEY as string, JWT_PRIVATE_KEY: own.JWT_PRIVATE_KEY as string },
  }
}

const all = async (env: Record<string, string | undefined>): Promise<readonly Diagnosis[]> => {
  const found = await examine(env, adapters)
  expect(found.filter(({ status, action }) => (status === 'failed' || status === 'warning') && !action)).toEqual([])
  for (const secret of ['SECRETS_KEY', 'JWT_PRIVATE_KEY', 'PAYCREST_API_SECRET'])
    if (env[secret]) expect(JSON.stringify(found)).not.toContain(env[secret])
  return found
}
const statuses = (found: readonly Diagnosis[], part: string) =>
  Object.fromEntries(found.filter(({ check }) => check.startsWith(part)).map(({ check, status }) => [check, status]))
const statusOf = (found: readonly Diagnosis[], check: string) => found.find((each) => each.check === check)?.status

test('an installation in production behind its proxy is in order, one email is sent, and nothing else changes', async () => {
  const { env, mailbox } = await installation()
  const found = await all(env)
  expect(statuses(found, 'address')).toEqual({
    'address: this installation': 'ok',
    'address: certificate': 'warning',
    'address: without TLS': 'ok',
    'address: HSTS': 'ok',
    'address: proxy': 'ok',
    'address: made-up client addresses': 'ok',
    'address: callbacks of paycrest': 'ok',
  })
  expect(statuses(found, 'secrets')).toEqual({ 'secrets: fingerprints': 'ok', 'secrets: of this database': 'ok' })
  expect(statuses(found, 'mail')).toEqual({ mail: 'ok' })
  expect(mailbox.emails.map(({ to }) => to)).toEqual(['operator@example.com'])
  // The database of tests is not made to be durable.
  const database = found.filter(({ check, status }) => check.startsWith('database') && status !== 'ok')
  expect(database.map(({ check }) => check)).toEqual([
    'database: durability',
    'database: standby',
    'database: reads on a standby',
  ])
  // Nobody answers at the address of the provider.
  expect([...new Set(Object.values(statuses(found, 'paycrest')))]).toEqual(['failed'])
  expect(statuses(found, 'relay')).toEqual({ relay: 'skipped' })
  expect(asText(found)).toContain('✓ address: proxy: ')
})

test('each fault of a proxy is found: no X-Forwarded-Proto, addresses that a client makes up, another server, nobody', async () => {
  const { env, proxy } = await installation()
  proxy.sends = {}
  expect(statusOf(await all(env), 'address: proxy')).toBe('failed')
  proxy.sends = { 'x-forwarded-proto': 'https' }
  proxy.passesAddresses = true
  expect(statusOf(await all(env), 'address: made-up client addresses')).toBe('failed')
  expect(statusOf(await all({ ...env, ENV_NAME: 'another' }), 'address: this installation')).toBe('failed')
  proxy.target = 'http://127.0.0.1:1'
  expect(statusOf(await all(env), 'address: this installation')).toBe('failed')
})

test('invalid, unknown and unused settings are named, and secrets of another database too', async () => {
  const own = service.runtime.settings as unknown as Record<string, string>
  const valid = {
    ...{ DATA_DIR: service.dataDir, DATABASE_URL: service.database.serviceUrl },
    ...{ SECRETS_KEY: own.SECRETS_KEY, JWT_PRIVATE_KEY: own.JWT_PRIVATE_KEY },
  }
  const invalid = await all({ ...valid, DATABASE_POOL: 'many', NODE_ENV: 'production' })
  expect(statuses(invalid, 'settings')).toMatchObject({ 'settings: DATABASE_POOL': 'failed' })
  expect(invalid.at(-1)).toMatchObject({ status: 'skipped', message: 'The settings are not valid' })

  const misspelt = await all({
    ...valid,
    PAYCREST_APIKEY: 'x',
    RATE_LIMIT_GLOBL: '3',
    NODE_OPTIONS: '',
    HOSTNAME: 'machine',
  })
  expect(statuses(misspelt, 'settings')).toEqual({
    settings: 'warning',
    'settings: PAYCREST_APIKEY': 'warning',
    'settings: RATE_LIMIT_GLOBL': 'warning',
  })
  const unused = await all({ ...valid, PAYCREST_MAX_ORDER: '500' })
  expect(statuses(unused, 'settings')).toEqual({ settings: 'warning', 'settings: PAYCREST_MAX_ORDER': 'warning' })
  await checkFingerprints(service.runtime.pool, everyDomain, service.runtime.settings)
  const foreign = await all({ ...valid, SECRETS_KEY: `other:${Buffer.alloc(32, 9).toString('base64')}` })
  expect(statusOf(foreign, 'secrets: of this database')).toBe('failed')
})

test('a database that does not answer, the role of its owner and a mail server that refuses are told; the rest is looked at', async () => {
  const mailbox = await startMailbox()
  onTestFinished(() => mailbox.close())
  mailbox.faults.refusal = 550
  const env = { DATA_DIR: service.dataDir, SMTP_URL: mailbox.url, OPERATOR_EMAILS: 'operator@example.com' }
  const none = await all({ ...env, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })
  expect(statuses(none, 'database')).toEqual({ database: 'failed' })
  expect(statuses(none, 'secrets')).toEqual({ 'secrets: fingerprints': 'ok', 'secrets: of this database': 'skipped' })
  expect(statusOf(none, 'mail')).toBe('failed')
  const owner = await all({ ...env, DATABASE_URL: service.database.ownerUrl })
  expect(statusOf(owner, 'database: role')).toBe('failed')
})

const READS = 'database: reads on a standby'

test('a server for reads that is no standby or does not answer is told, and the rest is looked at', async () => {
  const { SECRETS_KEY, JWT_PRIVATE_KEY } = service.runtime.settings as unknown as Record<string, string>
  const valid = { ...{ SECRETS_KEY, JWT_PRIVATE_KEY }, DATABASE_URL: service.database.serviceUrl }
  const primary = await all({ ...valid, DATABASE_READ_URL: service.database.serviceUrl })
  expect(statuses(primary, 'database: reads')).toEqual({ [READS]: 'failed' })
  expect(primary.find(({ check }) => check === READS)?.message).toBe('The server of DATABASE_READ_URL is not a standby')
  const nobody = await all({ ...valid, DATABASE_READ_URL: `postgres://service@127.0.0.1:${await freePort()}/postgres` })
  expect(statuses(nobody, 'database: reads')).toEqual({ [READS]: 'failed' })
  expect(statusOf(nobody, 'database: version')).toBe('ok')
})

test.runIf(hasTools('pg_ctlcluster', 'setpriv'))(
  'a standby that has replayed everything is in order, one that is behind is a warning, one of another cluster fails',
  async () => {
    const [primary, other] = await Promise.all([startSystemPostgres(), startSystemPostgres()])
    onTestFinished(() => Promise.all([primary.remove(), other.remove()]).then(() => undefined))
    const standby = await startStandby(primary)
    onTestFinished(() => standby.remove())
    const { SECRETS_KEY, JWT_PRIVATE_KEY } = service.runtime.settings as unknown as Record<string, string>
    const read = async (of: typeof primary) => {
      const env = { ...{ SECRETS_KEY, JWT_PRIVATE_KEY }, DATABASE_URL: of.url(), DATABASE_READ_URL: standby.url() }
      return statusOf(await all({ ...env, DATABASE_ALLOW_OWNER: 'true' }), READS)
    }
    expect(await read(primary)).toBe('ok')
    expect(await read(other)).toBe('failed')
    await standby.query('select pg_wal_replay_pause()')
    await primary.query('create table written ()')
    expect(await read(primary)).toBe('warning')
  },
)

test('what a start refuses, the doctor finds too, in the same words: a port in use, a wrong password of any address, an address with /v1, a sender that is none', async () => {
  const own = service.runtime.settings as unknown as Record<string, string>
  const [port, internal] = [await freePort(), await freePort()]
  const valid = {
    ...{ DATA_DIR: service.dataDir, DATABASE_URL: service.database.serviceUrl, HOST: '127.0.0.1' },
    ...{ PORT: String(port), INTERNAL_PORT: String(internal) },
    ...{ SECRETS_KEY: own.SECRETS_KEY, JWT_PRIVATE_KEY: own.JWT_PRIVATE_KEY },
  }
  expect(statuses(await all(valid), 'start')).toEqual({ start: 'ok' })
  const other = createPlainServer((_req, res) => res.end('another program')).listen(port, '127.0.0.1')
  onTestFinished(() => void other.close())
  const wrong = Object.assign(new URL(service.database.serviceUrl), { password: 'wrong' }).href
  const faults = await all({ ...valid, DATABASE_DIRECT_URL: service.database.serviceUrl, DATABASE_OWNER_URL: wrong })
  const found = faults.filter(({ check }) => check.startsWith('start'))
  expect(found.map(({ status, message }) => [status, message])).toEqual([
    ['failed', `PORT: port ${port} is already in use`],
    ['failed', expect.stringMatching(/^DATABASE_OWNER_URL: the database cannot be reached \(.*password/)],
  ])
  const settings = await all({ ...valid, BASE_URL: 'https://payments.test/v1', MAIL_FROM: 'Payments' })
  expect(statuses(settings, 'settings')).toEqual({ 'settings: BASE_URL': 'failed', 'settings: MAIL_FROM': 'failed' })
})

test('the doctor names a folder that cannot be used, and a gateway in production without the address of its proxy or with all addresses', async () => {
  const file = join(service.dataDir, 'file')
  writeFileSync(file, '')
  const own = service.runtime.settings as unknown as Record<string, string>
  const secrets = { SECRETS_KEY: own.SECRETS_KEY, JWT_PRIVATE_KEY: own.JWT_PRIVATE_KEY, SWAP_SEED: own.SWAP_SEED }
  const started = async (env: Record<string, string | undefined>) =>
    (await all({ ...secrets, DATABASE_URL: service.database.serviceUrl, PORT: '0', INTERNAL_PORT: '0', ...env }))
      .filter(({ check, status }) => check.startsWith('start') && status === 'failed')
      .map(({ message }) => message)
  for (const folder of [file, join(file, 'below')])
    expect(await started({ DATA_DIR: folder })).toEqual([
      `DATA_DIR: ${folder} cannot be used (${file} is not a folder)`,
    ])
  const production = { NODE_ENV: 'production', BASE_URL: 'https://127.0.0.1:1', SMTP_URL: 'smtps://127.0.0.1:1' }
  expect(await started(production)).toEqual([expect.stringMatching(/^TRUST_PROXY: required in production: /)])
  expect(await started({ ...production, PROCESS_ROLE: 'worker' })).toEqual([])
  expect(await started({ ...production, TRUST_PROXY: '127.0.0.1' })).toEqual([])
  expect(await started({ ...production, TRUST_PROXY: '127.0.0.1,::/0' })).toEqual([
    'TRUST_PROXY: ::/0 are all addresses: every client could choose its own. Name the proxies only',
  ])
})

test('a database with fewer connections than two processes need is told with the sentence of a start; behind a pooler only those past it count', async () => {
  const settings = (more: object) => ({ ...service.runtime.settings, ...more })
  const { message, problem } = await connectionsOf(settings({ DATABASE_POOL: 200 }), service.runtime.pool)
  expect(problem).toEqual({
    setting: 'DATABASE_POOL',
    message: `DATABASE_POOL: ${message}, and an upgrade needs two. Raise max_connections, lower DATABASE_POOL, or put PgBouncer between`,
  })
  const url = service.database.serviceUrl
  const found = await all({ DATA_DIR: service.dataDir, DATABASE_URL: url, DATABASE_POOL: '200' })
  expect(found.find(({ check }) => check === 'database: connections')).toMatchObject({
    status: 'warning',
    message: expect.stringMatching(
      /^DATABASE_POOL: \d+ of \d+ in use; one process takes up to 216, so \d process(es)? fits?, and/,
    ),
  })
  expect(await connectionsOf(settings({ DATABASE_POOL: 2 }), service.runtime.pool)).not.toHaveProperty('problem')
})
