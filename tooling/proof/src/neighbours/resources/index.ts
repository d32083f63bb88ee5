// Resource attacks beside a well-behaved organisation: `npm run attack -- [--requests 1000] [--events 300000] [--seed 1]`.
// Fails when one of its requests fails, or when its p99 under attack exceeds three times that beside a null server under attack.
import { parseArgs } from 'node:util'
import { percentile, startStand } from '@payments/stand'
import { attack, type Measured } from './run.ts'

const FACTOR = 3

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000' },
    events: { type: 'string', default: '300000' },
    seed: { type: 'string', default: '1' },
  },
})
const stand = await startStand()
try {
  const size = { requests: Number(values.requests), events: Number(values.events), seed: Number(values.seed) }
  const report = await attack(stand, size)
  const p99 = ({ latencies }: Measured) => percentile(latencies, 0.99)
  const print = (name: string, part: Measured) => {
    const times = [0.5, 0.99].map((share) => `p${share * 100} ${percentile(part.latencies, share).toFixed(1)} ms`)
    process.stdout.write(`${name.padEnd(32)} ${times.join('  ')}  ${part.failures.length} failures\n`)
    for (const failure of part.failures.slice(0, 10)) process.stdout.write(`  ${failure}\n`)
  }
  print('quiet', report.quiet)
  print('beside a null server attacked', report.besideNull)
  print('under attack', report.attacked)
  const failed = Object.values(report).some((part: Measured) => part.failures.length > 0)
  const factor = p99(report.attacked) / p99(report.besideNull)
  process.stdout.write(
    `p99 under attack: ${factor.toFixed(2)} times that beside the null server, at most ${FACTOR} allowed\n`,
  )
  process.exitCode = failed || factor > FACTOR ? 1 : 0
} finally {
  await stand.stop()
}
