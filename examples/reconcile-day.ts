// Compares the day's transactions with your books: API_KEY=svc_test_… node reconcile-day.ts 2026-01-31 < books.json
// The books are { "<transaction id>": "<amount>" }. Ends with 1 where they differ.
import { text } from 'node:stream/consumers'
import { money, Payments } from '@payments/sdk'

const payments = new Payments({ url: 'http://127.0.0.1:4000', apiKey: process.env.API_KEY ?? '' })
const day = process.argv[2] ?? new Date().toISOString().slice(0, 10)
const books = new Map(Object.entries(JSON.parse(await text(process.stdin)) as Record<string, string>))

// An export is one moment of all transactions, however many there are: it is read row by row.
const from = `${day}T00:00:00Z`
const to = new Date(Date.parse(from) + 86_400_000).toISOString()
const file = await payments.transactions.export({ from, to })
const differences: string[] = []
const sums = new Map<string, string>()
for await (const { id = '', amount = '', status } of file.rows()) {
  if (status !== 'completed') continue
  const [value = '0', currency = ''] = amount.split(' ')
  sums.set(currency, money.add(sums.get(currency) ?? '0', value))
  const booked = books.get(id)
  books.delete(id)
  if (booked === undefined) differences.push(`${id}: ${amount} is not in the books`)
  else if (money.compare(booked, value) !== 0) differences.push(`${id}: the books have ${booked}, the ledger ${amount}`)
}
for (const [id, amount] of books) differences.push(`${id}: ${amount} is in the books alone`)

for (const [currency, sum] of sums) console.log(`${day}: ${money.format(sum, currency, 'en')}`)
for (const difference of differences) console.log(difference)
process.exitCode = differences.length > 0 ? 1 : 0
