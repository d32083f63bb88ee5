import { checkLedger } from '@payments/ledger'
import { domains, runCommand } from '../command.ts'

await runCommand('ledger-check', async ({ pool }) => {
  const progress = ({ check, walked }: { check: string; walked: number }) =>
    void process.stderr.write(`\r${check}: ${walked}\u001b[K`)
  const report = await checkLedger({ pool, domains }, { progress })
  process.stderr.write('\n')
  for (const { check, organisationId, environment, id, message } of report.findings)
    process.stdout.write(`${check} ${organisationId} ${environment} ${id}: ${message}\n`)
  const walked = Object.entries(report.walked).map(([check, rows]) => `${rows} ${check}`)
  process.stdout.write(`${report.ok ? 'In order' : `${report.findings.length} findings`}: ${walked.join(', ')}\n`)
  return report.ok
})
