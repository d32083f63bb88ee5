import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { filesFrom } from '@payments/checks'
import { type ProofReport, record } from '@payments/proof'
import { benchMemory } from './growth/memory.ts'
import { benchOpen } from './growth/open.ts'
import { benchPayments } from './growth/payments.ts'
import { benchScaling } from './growth/scaling.ts'
import { benchProfile } from './profile/profile.ts'
import { benchPayouts } from './requests/payouts.ts'
import { benchDomains, benchHttp } from './requests/requests.ts'
import { benchStart } from './servers/start.ts'
import { benchWebhooks } from './webhooks/webhooks.ts'

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const parts: Readonly<Record<string, (print: (line: string) => void) => Promise<unknown>>> = {
  http: benchHttp,
  domains: benchDomains,
  payouts: benchPayouts,
  webhooks: benchWebhooks,
  scaling: benchScaling,
  open: benchOpen,
  payments: benchPayments,
  memory: benchMemory,
  start: benchStart,
  profile: benchProfile,
}
const { positionals: wanted, values } = parseArgs({
  allowPositionals: true,
  options: { record: { type: 'boolean', default: false } },
})

// All of them, or those named: `npm run bench -- http webhooks`. `--record` keeps the figures of those that have some.
for (const [name, bench] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  print(`\n== ${name}`)
  const report = await bench(print)
  if (!isReport(report)) continue
  for (const finding of report.findings) print(`FINDING ${finding}`)
  if (report.findings.length > 0) process.exitCode = 1
  if (values.record)
    print(`Figures written to ${record(name, filesOf(bench.name), {}, report, `npm run bench -- ${name}`)}`)
}

/** What a function that is imported here is made of, from the root. */
function filesOf(imported: string): readonly string[] {
  const [, file] = readFileSync(import.meta.filename, 'utf8').match(`\\b${imported}\\b.* from '\\./(.+)'`) ?? []
  return filesFrom(`tooling/bench/src/${file}`)
}

/** Parts that `docs/reliability.md` has figures of return a report. */
function isReport(result: unknown): result is ProofReport {
  return typeof result === 'object' && result !== null && 'figures' in result
}
