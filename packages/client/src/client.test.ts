import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build, type Rolldown } from 'vite'
import { beforeAll, expect, test } from 'vitest'
import { call, compileCache, foundOrganisation, launchArtefact, signedIn, useArtefact } from '#testing'
import { CallError, type Client, createClient } from './index.ts'

const service = useArtefact()
let token: string
let client: Client

beforeAll(async () => {
  token = (await signedIn(service.runtime, { role: 'operator' })).accessToken
  client = createClient({ url: `${service.url}/v1`, token })
})

/** The error of a call that must fail. */
async function failure(calling: Promise<unknown>): Promise<CallError> {
  const error = await calling.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(CallError)
  return error as CallError
}

/** The number of calls in each request over tRPC so far. */
const batches = (): number[] =>
  service.logs.flatMap((line) => {
    const { msg, path } = JSON.parse(line)
    return msg === 'request completed' && path.startsWith('/trpc/') ? [path.split(',').length] : []
  })

test('a validation failure carries its fields and its code, and an error of the business its own code', async () => {
  const invalid = await failure(client.customers.create.mutate({ name: '', email: 'nobody' }))
  expect(invalid).toMatchObject({
    message: 'Validation failed',
    code: 'validation_failed',
    status: 422,
    fields: { name: 'Must be at least 1 character', email: 'Must be an email address' },
  })
  const unknown = await failure(client.admin.organisations.get.query({ organisationId: 'nothing' }))
  expect(unknown).toMatchObject({ code: 'organisation_not_found', status: 404, fields: {} })
  // @ts-expect-error the id is text
  expect((await failure(client.admin.organisations.get.query({ organisationId: 1 }))).fields).toEqual({
    organisationId: 'Must be a string',
  })
})

test('calls of one turn are sent in batches of at most 20, however long their names are, and each fails by itself', async () => {
  const id = await foundOrganisation(service.runtime)
  const before = batches().length
  const results = await Promise.allSettled([
    ...Array.from({ length: 44 }, () => client.admin.webhooks.setAsideEvents.query({})),
    client.admin.organisations.get.query({ organisationId: 'nothing' }),
    client.admin.organisations.get.query({ organisationId: id }),
  ])
  // The line of a request is written when its reply has been sent.
  await expect.poll(() => batches().slice(before).toSorted()).toEqual([20, 20, 6])
  expect(results.map(({ status }) => status)).toEqual([...Array(44).fill('fulfilled'), 'rejected', 'fulfilled'])
  expect(results[45]).toMatchObject({ value: { id, members: [] } })
})

test('what the gateway refuses before a procedure has its code, and a wait where it names one', async () => {
  const nobody = createClient({ url: service.url, token: 'svc_test_nothing' })
  expect(await failure(nobody.admin.organisations.list.query({}))).toMatchObject({
    code: 'invalid_api_key',
    status: 401,
    message: 'Invalid API key',
  })
  const limited = await launchArtefact({
    database: service.database,
    settings: { RATE_LIMIT_GLOBAL: '1', DATA_DIR: service.dataDir },
  })
  try {
    const calls = Promise.all([1, 2].map(() => createClient({ url: limited.url, token }).auth.me.query({})))
    const error = await failure(calls)
    expect(error).toMatchObject({ code: 'rate_limited', status: 429, retryAfter: expect.any(Number) })
  } finally {
    await limited.stop()
  }
})

test('a service that does not answer is an error of the same kind', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  closed.close()
  const nowhere = createClient({ url: `http://127.0.0.1:${port}`, token })
  expect(await failure(nowhere.auth.me.query({}))).toMatchObject({
    code: 'unreachable',
    status: undefined,
    message: `The service cannot be reached (connect ECONNREFUSED 127.0.0.1:${port})`,
  })
  const page = createClient({ url: `${service.internalUrl}/livez?`, token })
  expect(await failure(page.auth.me.query({}))).toMatchObject({ code: 'unreachable' })
})

test('the bundle of a tool has nothing of the service in it', async () => {
  const result = (await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'esnext',
      lib: { entry: fileURLToPath(new URL('./index.ts', import.meta.url)), formats: ['es'] },
    },
  })) as Rolldown.RolldownOutput[]
  const modules = result.flatMap(({ output }) =>
    output.flatMap((each) => ('modules' in each ? Object.keys(each.modules) : [])),
  )
  const own = modules.filter((file) => !file.includes('/node_modules/'))
  expect(own.map((file) => file.replace(/^.*\/packages\//, '')).toSorted()).toEqual([
    'client/src/client.ts',
    'client/src/commands/commands.ts',
    'client/src/commands/fields.ts',
    'client/src/errors.ts',
    'client/src/index.ts',
  ])
  const packages = new Set(modules.flatMap((file) => file.match(/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []))
  expect([...packages].toSorted()).toEqual(['@trpc/client', '@trpc/server'])
})

test('the example runs, and says what failed', async () => {
  const id = await foundOrganisation(service.runtime)
  const suspended = await call(service, `POST /v1/admin/ops/organisations/${id}/suspend`, {
    token,
    key: null,
    body: { reason: 'Drill' },
  })
  expect(suspended.status).toBe(200)
  const good = await runExample(token)
  expect(good).toMatchObject({ code: 0, stderr: '' })
  expect(good.stdout).toMatch(/^1 of \d+ organisations are suspended\n/)
  expect(good.stdout).toMatch(new RegExp(`\n${id}  Organisation .+: Drill\nThe ledger balances\n$`))
  const bad = await runExample('nothing')
  expect(bad).toEqual({ code: 1, stdout: '', stderr: 'invalid_token: Token invalid or expired\n' })
})

/** Runs the example program as an engineer does. */
async function runExample(as: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./example.ts', import.meta.url))], {
    env: { ...compileCache, PAYMENTS_URL: service.url, PAYMENTS_TOKEN: as },
  })
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)]
  const [code] = await once(child, 'close')
  return { code, stdout: await stdout, stderr: await stderr }
}
