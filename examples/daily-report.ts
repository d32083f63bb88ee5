// The report of a day for those who operate the business, as Markdown: what moved, what failed, what needs attention.
// API_KEY=svc_live_… node daily-report.ts 2026-01-31 | mail -s "Payments" you@example.com. Ends with 1 where something does.
import { money, Payments } from '@payments/sdk'

const payments = new Payments({ url: 'http://127.0.0.1:4000', apiKey: process.env.API_KEY ?? '' })
const day = process.argv[2] ?? new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
const from = `${day}T00:00:00Z`
const to = new Date(Date.parse(from) + 86_400_000).toISOString()

const lines = [`# Payments of ${day}`, '']
const problems: string[] = []

// The totals are exact, and as quick however many transactions there are.
const summary = await payments.reports.summary({ from: day, to: day })
lines.push('| What | Succeeded | Failed | Amount |', '| --- | --- | --- | --- |')
for (const { kind, asset, succeededCount, failedCount, amount } of summary.totals)
  lines.push(
    `| ${kind.replaceAll('_', ' ')} | ${succeededCount} | ${failedCount} | ${money.format(amount, asset, 'en')} |`,
  )
if (summary.totals.length === 0) lines.push('| nothing | 0 | 0 | |')

// What failed, each with its customer.
const statuses = ['failed', 'returned', 'refunded']
for await (const failed of payments.transactions.search({ statuses, from, to }))
  problems.push(
    `${failed.kind.replaceAll('_', ' ')} ${failed.id} of ${failed.customerName || 'no customer'}: ${failed.status}`,
  )

// An endpoint that is disabled receives no events: orders are not shipped.
for await (const { url, status } of payments.webhooks.list())
  if (status !== 'enabled') problems.push(`${url} is ${status} and receives no events`)

// Requests of your servers that the service refused or could not answer, by what was wrong.
const errors = new Map<string, { count: number; example: string }>()
for await (const { method, path, status, errorCode, id } of payments.requests.search({ statusFrom: 400, from, to })) {
  if (status === 404) continue
  const name = `${method} ${path}: ${status} ${errorCode ?? ''}`.trim()
  errors.set(name, { count: (errors.get(name)?.count ?? 0) + 1, example: id })
}
for (const [name, { count, example }] of errors) problems.push(`${name}, ${count} times, as in request ${example}`)

lines.push('', '## Needs attention', '')
console.log([...lines, ...(problems.length > 0 ? problems.map((each) => `- ${each}`) : ['Nothing.'])].join('\n'))
process.exitCode = problems.length > 0 ? 1 : 0
