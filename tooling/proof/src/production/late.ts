import { loadServiceSettings } from '@payments/api'
import { adapters, gatewaySettings, openApiDocument } from '@payments/gateway'
import { firstIdOf, newId } from '@payments/kernel'
import type { Runtime } from '@payments/platform'
import { call, documentProblems, everyDocument, newMerchant, signedIn, until } from '@payments/stand'
import type { Pool } from 'pg'
import { declaredProblem, wholeDocument } from '../documents/document.ts'
import { exchange } from '../documents/exchange.ts'
import { audiences } from '../documents/lint.ts'
import { examplesOf, type Paths } from '../documents/reference.ts'
import type { Guide } from '../resilience/machine/guide.ts'
import type { Outside } from './outside.ts'
import { settingsIn } from './settings.ts'
import { SERVICE } from './stories.ts'

const DAY_MS = 86_400_000
/** DATABASE_READ_URL names an address at which nothing listens, and blocks go by only while a story is told. */
const EXPECTED = /127\.0\.0\.1:5001|finalized block/
/** The subjects of the emails that the exchange and the stories cause. */
const SUBJECTS = [/sign-in code/i, /invited/i, /invoice/i, /receipt|received/i]

/** Everything of the installed package that is loaded with its first use; a finding for each part that does not work. */
export async function useEverything(
  { mailbox, receiver, receiverUrl, traces }: Outside,
  { guide, pool, settings }: { readonly guide: Guide; readonly pool: Pool; readonly settings: string },
): Promise<{ readonly findings: string[]; readonly figures: Record<string, unknown> }> {
  const env = { ...settingsIn(settings), PROCESS_ROLE: 'gateway' }
  const runtime = {
    pool,
    settings: loadServiceSettings(env, [{ settings: gatewaySettings }, ...adapters]),
  } as unknown as Runtime
  const findings: string[] = []

  // Every operation of both references succeeds, and every reply is as the document says.
  const [merchants = [], operators = []] = audiences.map((audience) =>
    examplesOf(openApiDocument(audience) as unknown as Paths),
  )
  const document = wholeDocument()
  let replies = 0
  const refused = await exchange(
    {
      ...{ url: SERVICE.url, runtime, mailbox, receiver: { ...receiver, url: receiverUrl } },
      seen(example, { status, headers, text }) {
        replies++
        const problem = declaredProblem(document, example, {
          ...{ status, text },
          type: headers.get('content-type') ?? '',
        })
        if (problem) findings.push(`${example.line}: ${problem}`)
      },
    },
    merchants,
    operators,
  )
  findings.push(...[...refused].map(([line, answer]) => `${line}: ${answer}`))

  const { key, organisationId } = await newMerchant({ url: SERVICE.url, runtime })
  const { accessToken: session } = await signedIn(runtime, { organisationId, role: 'owner' })
  const email = `${newId()}@customer.test`
  findings.push(...documentProblems(await everyDocument({ url: SERVICE.url, key, session }, email)))
  // The invoice and the receipt.
  await mailbox.emailTo(email, 1)
  if (!mailbox.emails.some(({ to, raw }) => to === email && raw.includes('application/pdf')))
    findings.push('An invoice was sent without its PDF')

  const tools = await call(SERVICE, 'POST /mcp', {
    ...{ token: key, key: null, headers: { accept: 'application/json, text/event-stream' } },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  })
  if (tools.status !== 200 || !tools.text.includes('customers_list'))
    findings.push(`/mcp: ${tools.status} ${tools.text}`)

  const subjects = new Set(mailbox.emails.map(({ raw }) => raw.match(/^Subject: (.+)$/m)?.[1] ?? ''))
  for (const wanted of SUBJECTS)
    if (![...subjects].some((subject) => wanted.test(subject))) findings.push(`No email has the subject ${wanted}`)

  // A request of long ago is removed by the next run.
  const at = new Date(Date.now() - 200 * DAY_MS)
  await pool.query(
    `insert into request_log (id, organisation_id, environment, method, path, status, duration_ms, request_id, replayed, created_at)
     values ($1, $2, 'test', 'GET', '/v1/customers', 200, 3, 'long ago', false, $3)`,
    [`${firstIdOf(at).slice(0, 24)}${newId().slice(-12)}`, organisationId, at],
  )
  await pool.query("insert into pgboss.job (name, data) values ('platform.partitions', '{}')")
  await until('a request of long ago is removed', async () => {
    const { rows } = await pool.query("select from request_log where request_id = 'long ago'")
    return rows.length === 0
  })
  await until('traces arrive', async () => traces.received.some(({ path }) => path === '/v1/traces'))

  for (const command of ['ledger-check', 'backup --to /root/payments-backup'])
    if (!(await guide.execute(`command_of "$VERSION" ${command} && echo OK`)).endsWith('OK\n'))
      findings.push(`payments ${command} failed`)
  // The library of emails also writes a line.
  const text = await guide.execute('command_of "$VERSION" doctor --json || true')
  const checks = JSON.parse(text.slice(text.indexOf('[\n'))) as {
    part: string
    name?: string
    status: string
    message: string
  }[]
  const failed = checks.filter(({ status, message }) => status === 'failed' && !EXPECTED.test(message))
  findings.push(...failed.map((check) => `payments doctor: ${JSON.stringify(check)}`))
  return {
    findings,
    figures: {
      operations: merchants.length + operators.length,
      replies,
      checks: checks.length,
      subjects: [...subjects].toSorted(),
    },
  }
}
