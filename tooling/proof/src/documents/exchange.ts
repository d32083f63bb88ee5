import { exampleId } from '@payments/kernel'
import type { Runtime } from '@payments/platform'
import {
  type Answer,
  askForCode,
  call,
  cngnCustomer,
  createKeyFor,
  dataOf,
  foundOrganisation,
  invoiceBody,
  type Mailbox,
  payLink,
  type Receiver,
  samples,
  senderOf,
  signedIn,
  signIn,
  until,
} from '@payments/stand'
import { filledWith, Known, MEMBER, OTHER_SESSION } from './known.ts'
import type { Example, Json } from './reference.ts'

const EMAIL = 'ada@example.com'
/** How often what is refused is tried again, while the worker goes on. */
const PASSES = 30
const PAUSE_MS = 1000

/** Where an exchange takes place. Emails arrive in the mailbox, webhooks at the receiver. */
export interface Place {
  /** Where requests are sent, without `/v1`. */
  readonly url: string
  readonly runtime: Runtime
  readonly mailbox: Mailbox
  readonly receiver: Receiver
  /** Sees every reply. */
  seen?(example: Example, answer: Answer): void
}

/** Operations that end what others need come last. */
const LAST = [
  /^(?!DELETE|.*(cancel|anonymise|email|logout))/,
  /cancel|anonymise|email/,
  /^DELETE .*-/,
  /sessions$/,
  /./,
]
const order = ({ line }: Example) => LAST.findIndex((each) => each.test(line))
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Sends every request of the merchants' reference as a merchant would, with the ids of objects that exist, until it has succeeded; then
 * every request of the operators' reference once. Returns what was still refused in the end, by its line.
 */
export async function exchange(
  place: Place,
  examples: readonly Example[],
  operators: readonly Example[] = [],
): Promise<ReadonlyMap<string, string>> {
  const known = new Known()
  const { runtime, mailbox } = place
  await invited(place)
  const session = await signIn(place, mailbox, { email: EMAIL, organisationName: 'Ada Ltd' })
  const { organisation } = session
  known.set(exampleId(1), organisation.id)
  let token: string = session.accessToken
  const member = await signedIn(runtime, { organisationId: organisation.id, role: 'member' })
  known.set(MEMBER, member.userId)
  const other = await signIn(place, mailbox, { email: EMAIL })
  const { body: listed } = await call(place, 'GET /v1/auth/sessions', { token: other.accessToken })
  known.set(OTHER_SESSION, listed.data.sessions.find((each: { current: boolean }) => each.current).id)
  const scopes = ['api:read', 'api:write']
  const key = await createKeyFor(runtime, { organisationId: organisation.id, environment: 'test', scopes })
  const delivery = await finishedDelivery(place, key)
  const refused = new Map<string, string>()
  /** What has succeeded once: the ids of later replies may be those of other kinds of objects. */
  const succeeded = new Set<string>()

  /** Asks for codes with the rest of the body and adds them from the emails, as a person does. */
  const withCodes = async (line: string, names: Readonly<Record<string, string>>, body: Json): Promise<Json> => {
    const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !(name in names)))
    const before = Object.fromEntries(Object.values(names).map((to) => [to, mailbox.codesTo(to).length]))
    await call(place, line, { token, key: null, body: rest })
    const codes = Object.entries(names).map(async ([name, to]) => [name, await mailbox.codeFor(to, before[to])])
    return { ...rest, ...Object.fromEntries(await Promise.all(codes)) }
  }
  const bodyOf = async ({ line, body }: Example): Promise<string | undefined> => {
    if (body === undefined) return undefined
    const given = body as Json
    if (/confirm|email|verify/.test(line)) await allSent(runtime)
    if (line.endsWith('/otp/verify')) {
      const { invitationId: _another, ...own } = given
      return known.filled(JSON.stringify({ ...own, ...(await askForCode(place, mailbox, { email: EMAIL })) }))
    }
    if (/\/auth\/device\/\w/.test(line)) return JSON.stringify(await ofDevice(line, given))
    if (line.endsWith('/auth/confirm')) return JSON.stringify(await withCodes(line, { code: EMAIL }, given))
    if (line.endsWith('/auth/email'))
      return JSON.stringify(await withCodes(line, { currentCode: EMAIL, newCode: String(given.email) }, given))
    return known.filled(JSON.stringify(given))
  }
  /** A program of its own for each request, which a user has answered where its key is asked for. */
  const ofDevice = async (line: string, given: Json): Promise<Json> => {
    const post = (path: string, body: object, session: string | null) =>
      call(place, `POST /v1/auth/device${path}`, { token: session, key: null, body })
    const { deviceCode, userCode } = (await post('', { clientName: 'CLI' }, null)).body.data
    if (!line.endsWith('/token')) return { ...given, userCode }
    await post('/approve', { userCode, environment: 'test', access: 'read' }, token)
    return { deviceCode }
  }
  /** An invitation to another organisation, which only the invited user can answer. */
  const received = async (): Promise<string> => {
    const organisationId = await foundOrganisation(runtime)
    const { accessToken } = await signedIn(runtime, { organisationId, role: 'owner' })
    const body = { email: EMAIL, role: 'member' }
    return (await call(place, 'POST /v1/auth/invitations', { token: accessToken, key: null, body })).body.data.id
  }
  const asMerchant = senderOf(place, key)
  const invoiced = async (): Promise<string> => {
    const body = await invoiceBody(asMerchant, `${crypto.randomUUID()}@example.com`)
    return (await asMerchant('POST /v1/collections', body)).id
  }
  /** A payout that waits for a second person: only one that waits can be answered. */
  const waitingPayout = async (): Promise<string> => {
    const control = (from: object | null) => asMerchant('PATCH /v1/payout-controls', { approval: { from } })
    const customerId = await cngnCustomer(
      (line, body) => call(place, line, { token: key, ...(body ? { body } : {}) }),
      '100000',
    )
    await control({ cNGN: '1' })
    const { id } = await asMerchant('POST /v1/cngn/payouts', samples.payout.body({ customerId }))
    await control(null)
    return id
  }
  /** A session that is paid, made once. */
  let paid: Promise<string> | undefined
  const paidSession = async (): Promise<string> =>
    payLink(asMerchant, (await asMerchant('POST /v1/collections', samples.collection.body())).id)
  const lineOf = async ({ line }: Example): Promise<string> => {
    if (line.includes('/receipt.pdf')) {
      paid ??= paidSession()
      return `GET /v1/collections/sessions/${await paid}/receipt.pdf`
    }
    if (line.endsWith('/invoice.xml')) return `GET /v1/collections/${await invoiced()}/invoice.xml`
    if (line.includes('/payout-approvals/'))
      return line.replace(/approvals\/[^/]+/, `approvals/${await waitingPayout()}`)
    if (/invitations\/.+\/(accept|decline)$/.test(line))
      return line.replace(/invitations\/[^/]+/, `invitations/${await received()}`)
    return /deliveries\/\w/.test(line) ? filledWith(line, delivery) : known.filled(line)
  }
  /** The last owner cannot leave. */
  const credentialOf = async ({ line }: Example, usual: string): Promise<string> =>
    line.endsWith('/members/me')
      ? (await signedIn(runtime, { organisationId: organisation.id, role: 'member' })).accessToken
      : usual
  const send = async (each: Example, usual: string, keyed: boolean): Promise<Answer> => {
    const body = await bodyOf(each)
    const [line, credential] = [await lineOf(each), await credentialOf(each, usual)]
    const more = { ...(keyed ? {} : { key: null }), body }
    const answer = await call(place, line, { token: credential, ...more })
    place.seen?.(each, answer)
    return answer
  }
  const attempt = async (each: Example): Promise<boolean> => {
    // One person asks for more codes here than the limit on emails allows, which has tests of its own.
    await runtime.pool.query('delete from email_sends')
    const answer = await send(each, each.session ? token : key, !each.session)
    if (answer.status !== each.status) {
      if (!succeeded.has(each.line)) refused.set(each.line, `${answer.status} ${answer.text}`)
      return false
    }
    refused.delete(each.line)
    succeeded.add(each.line)
    known.learn(each.reply, answer.body?.data)
    if (answer.body?.data?.accessToken) token = answer.body.data.accessToken
    return true
  }
  /** What an operation needs in its first state is created again when an earlier one has moved it on. */
  const renewed = async ({ line }: Example): Promise<boolean> => {
    const creator = examples.find(
      ({ line: creation, reply }) =>
        creation.startsWith('POST') &&
        (reply as Json)?.id !== undefined &&
        line.includes(`${creation.slice(5)}/${(reply as Json).id}`),
    )
    return creator !== undefined && (await attempt(creator))
  }

  // A domain needs a DNS record of its own: the tests of branding have a name server.
  const sent = examples.filter(({ line }) => line !== 'POST /v1/branding/verify-domain')
  let open = sent.toSorted((a, b) => order(a) - order(b))
  for (let pass = 0; pass < PASSES && open.length > 0; pass++) {
    const left: Example[] = []
    // What the worker does meanwhile is in the lists then.
    if (pass > 0) await pause(PAUSE_MS)
    if (pass > 0)
      for (const each of examples.filter(({ line, session: own }) => line.startsWith('GET') && !own))
        await attempt(each)
    for (const each of open.filter(({ line }) => !succeeded.has(line)))
      if (!(await attempt(each)) && !((await renewed(each)) && (await attempt(each)))) left.push(each)
    open = left
  }
  const operator = await signedIn(runtime, { role: 'operator' })
  for (const each of operators) await send(each, operator.accessToken, false)
  return refused
}

/** An operator invites the first user: where registration is open, nothing depends on it. */
async function invited(place: Place): Promise<void> {
  const { accessToken } = await signedIn(place.runtime, { role: 'operator' })
  const body = { email: EMAIL, role: 'owner' }
  await dataOf('invitation', call(place, 'POST /v1/auth/invitations', { token: accessToken, key: null, body }))
}

/** An endpoint with a delivery that has arrived: only then can it be sent again. */
async function finishedDelivery(place: Place, token: string): Promise<Map<string, string>> {
  const endpoint = await call(place, 'POST /v1/webhooks', { token, body: { url: place.receiver.url } })
  const { id } = endpoint.body.data
  await call(place, `POST /v1/webhooks/${id}/test`, { token })
  await place.receiver.until((received) => received.length > 0)
  const list = await call(place, `GET /v1/webhooks/${id}/deliveries`, { token })
  return new Map([
    [exampleId(40), id],
    [exampleId(42), list.body.data.deliveries[0].id],
  ])
}

/** Emails that are still queued hold codes of earlier requests. */
async function allSent({ pool }: Runtime): Promise<void> {
  const waiting = "select from pgboss.job where name = 'accounts.mail' and state in ('created', 'retry', 'active')"
  await until('No email is queued', async () => (await pool.query(waiting)).rowCount === 0, { everyMs: 50 })
}
