// Pays out what two people agree on: one asks, another one approves, and the bot pays and reports how it ended.
// API_KEY=svc_test_… PEOPLE='{"<token>":"ada","<token>":"grace"}' node payout-bot.ts <customerId>
//   curl http://127.0.0.1:9000/payouts -H "Authorization: Bearer <token>" -d '{"amount":"2500","bankCode":"058","accountNumber":"0123456789"}'
//   curl http://127.0.0.1:9000/payouts/1/approve -H "Authorization: Bearer <token of another>" -X POST
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { isPaymentsError, money, Payments } from '@payments/sdk'

interface Payout {
  readonly number: string
  readonly amount: string
  readonly bankCode: string
  readonly accountNumber: string
  /** As the bank names the holder: who approves sees to whom the money goes. */
  readonly holder: string | null
  readonly askedBy: string
  readonly approvedBy?: string
  readonly status: string
}

const FILE = 'payouts.json'
const MOST = '1000000'
const customerId = process.argv[2] ?? ''
const payments = new Payments({ url: 'http://127.0.0.1:4000', apiKey: process.env.API_KEY ?? '' })
const people = new Map(Object.entries(JSON.parse(process.env.PEOPLE ?? '{}') as Record<string, string>))

// In your database. A payout is written before it is paid, so a bot that starts again goes on where it was.
const kept: Payout[] = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : []
const payouts = new Map(kept.map((payout) => [payout.number, payout]))
function keep(payout: Payout): Payout {
  payouts.set(payout.number, payout)
  writeFileSync(`${FILE}.new`, JSON.stringify([...payouts.values()]))
  renameSync(`${FILE}.new`, FILE)
  return payout
}

class Refused extends Error {}

async function ask(by: string, { amount, bankCode, accountNumber }: Record<string, unknown>): Promise<Payout> {
  if (![amount, bankCode, accountNumber].every((each) => typeof each === 'string'))
    throw new Refused('amount, bankCode and accountNumber must be texts')
  const [value, bank, account] = [amount, bankCode, accountNumber] as [string, string, string]
  if (!/^\d+(\.\d{1,2})?$/.test(value) || money.compare(value, MOST) > 0) throw new Refused(`At most ${MOST}`)
  const { accountName } = await payments.fiat.verifyAccount({
    currency: 'NGN',
    bankCode: bank,
    accountNumber: account,
  })
  const facts = { amount: value, bankCode: bank, accountNumber: account, holder: accountName, askedBy: by }
  return keep({ number: String(payouts.size + 1), ...facts, status: 'waits for approval' })
}

function approve(by: string, number: string): Payout {
  const payout = payouts.get(number)
  if (!payout) throw new Refused(`There is no payout ${number}`)
  if (payout.approvedBy) return payout
  if (payout.askedBy === by) throw new Refused('Another person must approve it')
  const approved = keep({ ...payout, approvedBy: by, status: 'approved' })
  void pay(approved)
  return approved
}

/** The number of the payout is the key: whatever happens to this program, it is paid once. */
async function pay(payout: Payout): Promise<void> {
  const { number, amount, bankCode, accountNumber } = payout
  const book = createHash('sha256').update(FILE).update(customerId).digest('hex').slice(0, 12)
  try {
    const created = await payments.cngn.payouts.create(
      { customerId, amount, bankAccount: { bankCode, accountNumber }, reference: `payout-${book}-${number}` },
      { idempotencyKey: `payout-${book}-${number}` },
    )
    const { status } = await payments.waitFor(created, ['completed', 'failed'])
    keep({ ...payout, status })
    console.log(`payout ${number}: ${money.format(amount, 'NGN', 'en')} ${status}`)
  } catch (error) {
    // What the service refuses is final. Everything else is tried again when the bot starts: with the same key.
    const refused = isPaymentsError(error) && error.status >= 400 && error.status < 500
    if (refused) keep({ ...payout, status: `refused: ${error.message}` })
    console.log(`payout ${number}: ${error instanceof Error ? error.message : error}`)
  }
}

async function answer(request: IncomingMessage): Promise<unknown> {
  const person = people.get(request.headers.authorization?.replace('Bearer ', '') ?? '')
  if (!person) throw new Refused('Who are you?')
  const [, , number, action] = (request.url ?? '').split('/')
  if (request.method === 'GET') return [...payouts.values()]
  if (number && action === 'approve') return approve(person, number)
  return ask(person, JSON.parse(await text(request)) as Record<string, unknown>)
}

for (const payout of payouts.values()) if (payout.status === 'approved') void pay(payout)
createServer((request, reply) => {
  answer(request).then(
    (result) => reply.end(JSON.stringify(result)),
    (error) => reply.writeHead(400).end(JSON.stringify({ error: error.message })),
  )
}).listen(9000, '127.0.0.1', () => console.log('waiting for payouts'))
