import { exampleId } from '@payments/kernel'
import { afterAll, expect, test } from 'vitest'
import {
  type Answer,
  askForCode,
  call,
  createKeyFor,
  pause,
  signedIn,
  signIn,
  startMailbox,
  startReceiver,
  useService,
} from '#testing'
import { openApiDocument } from './openapi.ts'
import type { Json } from './openapi-examples.ts'

const EMAIL = 'ada@example.com'
const mailbox = await startMailbox()
const receiver = await startReceiver()
afterAll(() => Promise.all([mailbox.close(), receiver.close()]))
const service = useService({
  worker: true,
  settings: {
    SMTP_URL: mailbox.url,
    WEBHOOK_DEV_TARGETS: `https://merchant.example,${receiver.origin}`,
    RATE_LIMIT_GLOBAL: '10000',
    RATE_LIMIT_AUTH: '1000',
  },
})

interface Example {
  readonly line: string
  readonly status: number
  readonly body: unknown
  readonly reply: unknown
  readonly session: boolean
}

const document = openApiDocument('merchants') as { paths: Record<string, Record<string, Json>> }
const ofContent = (part: Json | undefined, type = 'application/json'): unknown =>
  ((part?.content as Json | undefined)?.[type] as Json | undefined)?.example

/** Each operation as the reference shows it: with the examples of its path, query and body, and of its reply. */
const examples: Example[] = Object.entries(document.paths).flatMap(([path, item]) =>
  ['get', 'post', 'patch', 'delete'].flatMap((method) => {
    const operation = item[method]
    if (!operation || path === '/health') return []
    const { parameters, requestBody, responses } = operation as { responses: Record<string, Json> } & Json
    const [status = ''] = Object.keys(responses)
    // A stream has no end.
    if ('text/event-stream' in ((responses[status]?.content ?? {}) as Json)) return []
    const given = ((parameters ?? []) as { name: string; in: string; example?: unknown; schema: Json }[]).map(
      (each) => ({
        ...each,
        example: each.example ?? each.schema.example,
      }),
    )
    const inPath = (name: string) => String(given.find((each) => each.in === 'path' && each.name === name)?.example)
    const query = given.flatMap((each) =>
      each.in === 'query' && each.example !== undefined ? [[each.name, String(each.example)]] : [],
    )
    const search = new URLSearchParams(query as [string, string][]).toString()
    const line = `${method.toUpperCase()} /v1${path.replace(/\{(\w+)\}/g, (_all, name) => inPath(name))}${search ? `?${search}` : ''}`
    const reply = (ofContent(responses[status]) as Json | undefined)?.data
    const session = /^\/(auth|api-keys|payout-controls)/.test(path) || line.includes('refund-addresses')
    return { line, status: Number(status), body: ofContent(requestBody as Json), reply, session }
  }),
)

/** How often what is refused is tried again, while the worker goes on. */
const PASSES = 30

/** Operations that end what others need come last. */
const LAST = [
  /^(?!DELETE|.*(cancel|anonymise|email|logout))/,
  /cancel|anonymise|email/,
  /^DELETE .*-/,
  /sessions$/,
  /./,
]
const order = ({ line }: Example) => LAST.findIndex((each) => each.test(line))

/** What an example's value is on this service: learnt from the replies, because an example shows one object everywhere. */
const known = new Map<string, string>()
const MEMBER = exampleId(7)
const OTHER_SESSION = exampleId(3)
const learn = (example: unknown, real: unknown): void => {
  if (typeof example === 'string' && typeof real === 'string') {
    const chosen = [MEMBER, OTHER_SESSION].includes(example)
    if (!chosen && /^01936f2a-|^ofr_|^Zm9y/.test(example)) known.set(example, real)
  } else if (example && real && typeof example === 'object' && typeof real === 'object') {
    // The newest of a list may be of another type than the example: then it is the same only as an item of that list.
    const isReference = Object.keys(example).length === 2
    if (['type', 'kind'].some((name) => (example as Json)[name] !== (real as Json)[name])) {
      if (!isReference) learn((example as Json).id, (real as Json).id)
    } else for (const [name, value] of Object.entries(example)) learn(value, (real as Json)[name])
  }
}
const filledWith = (text: string, values: ReadonlyMap<string, string>): string =>
  [...values].reduce((all, [from, to]) => all.replaceAll(from, to), text)
const filled = (text: string): string => filledWith(text, known)

/** An endpoint with a delivery that has arrived: only then can it be sent again. */
async function finishedDelivery(token: string): Promise<Map<string, string>> {
  const endpoint = await call(service, 'POST /v1/webhooks', { token, body: { url: receiver.url } })
  const { id } = endpoint.body.data
  await call(service, `POST /v1/webhooks/${id}/test`, { token })
  await receiver.until((received) => received.length > 0)
  const list = await call(service, `GET /v1/webhooks/${id}/deliveries`, { token })
  return new Map([
    [exampleId(40), id],
    [exampleId(42), list.body.data.deliveries[0].id],
  ])
}

test('every request of the reference succeeds in the sandbox, with the ids of objects that exist', async () => {
  const session = await signIn(service, mailbox, { email: EMAIL, organisationName: 'Ada Ltd' })
  const { organisation } = session
  known.set(exampleId(1), organisation.id)
  let token: string = session.accessToken
  const member = await signedIn(service.runtime, { organisationId: organisation.id, role: 'member' })
  known.set(MEMBER, member.userId)
  const other = await signIn(service, mailbox, { email: EMAIL })
  const { body } = await call(service, 'GET /v1/auth/sessions', { token: other.accessToken })
  known.set(OTHER_SESSION, body.data.sessions.find((each: { current: boolean }) => each.current).id)
  const key = await createKeyFor(service.runtime, {
    organisationId: organisation.id,
    environment: 'test',
    scopes: ['api:read', 'api:write'],
  })
  const delivery = await finishedDelivery(key)
  const refused = new Map<string, string>()
  /** What has succeeded once: the ids of later replies may be those of other kinds of objects. */
  const succeeded = new Set<string>()
  /** Asks for codes with the rest of the body and adds them from the emails, as a person does. */
  const withCodes = async (line: string, names: Readonly<Record<string, string>>, body: Json): Promise<Json> => {
    const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !(name in names)))
    const before = Object.fromEntries(Object.values(names).map((to) => [to, mailbox.codesTo(to).length]))
    await call(service, line, { token, key: null, body: rest })
    const codes = Object.entries(names).map(async ([name, to]) => [name, await mailbox.codeFor(to, before[to])])
    return { ...rest, ...Object.fromEntries(await Promise.all(codes)) }
  }
  /** Emails that are still queued hold codes of earlier requests. */
  const allSent = () =>
    expect
      .poll(
        async () => {
          const waiting =
            "select from pgboss.job where name = 'accounts.mail' and state in ('created', 'retry', 'active')"
          return (await service.runtime.pool.query(waiting)).rowCount
        },
        { timeout: 20_000 },
      )
      .toBe(0)
  const bodyOf = async ({ line, body }: Example): Promise<string | undefined> => {
    if (body === undefined) return undefined
    const given = body as Json
    if (/confirm|email|verify/.test(line)) await allSent()
    if (line.endsWith('/otp/verify')) {
      const asked = await askForCode(service, mailbox, { email: EMAIL })
      return filled(JSON.stringify({ ...given, ...asked }))
    }
    if (line.endsWith('/auth/confirm')) return JSON.stringify(await withCodes(line, { code: EMAIL }, given))
    if (line.endsWith('/auth/email'))
      return JSON.stringify(await withCodes(line, { currentCode: EMAIL, newCode: String(given.email) }, given))
    return filled(JSON.stringify(given))
  }
  const send = async (each: Example): Promise<Answer> => {
    const body = await bodyOf(each)
    const line = /deliveries\/\w/.test(each.line) ? filledWith(each.line, delivery) : filled(each.line)
    return call(service, line, {
      token: each.session ? token : key,
      ...(each.session ? { key: null } : {}),
      ...(body === undefined ? {} : { body }),
    })
  }
  const attempt = async (each: Example): Promise<boolean> => {
    // One person asks for more codes here than the limit on emails allows, which has tests of its own.
    await service.runtime.pool.query('delete from email_sends')
    const answer = await send(each)
    if (answer.status !== each.status) {
      if (!succeeded.has(each.line)) refused.set(each.line, `${answer.status} ${JSON.stringify(answer.body)}`)
      return false
    }
    refused.delete(each.line)
    succeeded.add(each.line)
    learn(each.reply, answer.body?.data)
    if (answer.body?.data?.accessToken) token = answer.body.data.accessToken
    return true
  }
  /** What an operation needs in its first state is created again when an earlier one has moved it on. */
  const renewed = async ({ line }: Example): Promise<boolean> => {
    const creator = examples.find(
      ({ line: other, reply }) =>
        other.startsWith('POST') &&
        (reply as Json)?.id !== undefined &&
        line.includes(`${other.slice(5)}/${(reply as Json).id}`),
    )
    return creator !== undefined && (await attempt(creator))
  }
  let open = examples.toSorted((a, b) => order(a) - order(b))
  for (let pass = 0; pass < PASSES && open.length > 0; pass++) {
    const left: Example[] = []
    // What the worker does meanwhile is in the lists then.
    if (pass > 0) await pause(1000)
    if (pass > 0)
      for (const each of examples.filter(({ line, session }) => line.startsWith('GET') && !session)) await attempt(each)
    for (const each of open.filter(({ line }) => !succeeded.has(line)))
      if (!(await attempt(each)) && !((await renewed(each)) && (await attempt(each)))) left.push(each)
    open = left
  }
  expect(Object.fromEntries(refused)).toEqual({})
}, 120_000)
