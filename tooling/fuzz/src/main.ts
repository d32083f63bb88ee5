// Generated requests against the whole service: `npm run fuzz -- [--requests 20000] [--seed 1]`. A seed repeats its requests.
import { parseArgs } from 'node:util'
import { fuzz } from './run.ts'
import { startStand } from './stand.ts'

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '20000' }, seed: { type: 'string', default: '1' } },
})
const size = { requests: Number(values.requests), seed: Number(values.seed) }
const stand = await startStand({ CONNECTIONS_PER_ADDRESS: '1000' })
const started = performance.now()
try {
  const { requests, statuses, failures } = await fuzz(stand, size)
  for (const failure of failures.slice(0, 50)) process.stdout.write(`${failure}\n`)
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  process.stdout.write(
    `seed ${size.seed}: ${requests} requests in ${seconds} s, ${failures.length} failures; ${counts.join(', ')}\n`,
  )
  process.exitCode = failures.length === 0 ? 0 : 1
} finally {
  await stand.stop()
}
