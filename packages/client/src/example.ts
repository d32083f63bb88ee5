/**
 * An internal tool in a few lines: it prints the suspended organisations and whether the ledger balances, in one HTTP request.
 * PAYMENTS_TOKEN is the access token of an operator's session, or an internal token.
 *
 *   PAYMENTS_URL=http://127.0.0.1:4000 PAYMENTS_TOKEN=… node packages/client/src/example.ts
 */
import { CallError, createClient, type Outputs } from './index.ts'

type Organisation = Outputs['admin']['organisations']['list']['organisations'][number]

// biome-ignore lint/style/noProcessEnv: a program of its own
const { PAYMENTS_URL: url = 'http://127.0.0.1:4000', PAYMENTS_TOKEN: token = '' } = process.env
const client = createClient({ url, token })

const line = ({ id, name, suspensionReason }: Organisation) =>
  `${id}  ${name}: ${suspensionReason ?? 'no reason given'}\n`

try {
  const [{ organisations, total }, { balanced }] = await Promise.all([
    client.admin.organisations.list.query({}),
    client.admin.ledger.trialBalance.query({}),
  ])
  const suspended = organisations.filter(({ status }) => status === 'suspended')
  process.stdout.write(`${suspended.length} of ${total} organisations are suspended\n${suspended.map(line).join('')}`)
  process.stdout.write(`The ledger ${balanced ? 'balances' : 'does not balance'}\n`)
} catch (error) {
  if (!(error instanceof CallError)) throw error
  process.stderr.write(`${error.code}: ${error.message}\n`)
  for (const [field, problem] of Object.entries(error.fields)) process.stderr.write(`  ${field}: ${problem}\n`)
  process.exitCode = 1
}
