import { benchCngn } from './cngn.ts'
import { benchCollections } from './collections.ts'
import { benchExport } from './export.ts'
import { benchFiat } from './fiat.ts'
import { benchHttp } from './http.ts'
import { benchLedger } from './ledger.ts'
import { benchMemory } from './memory.ts'
import { benchPaint } from './paint.ts'
import { benchQueues } from './queues.ts'
import { benchRequestLog } from './request-log.ts'
import { benchScaling } from './scaling.ts'
import { benchSwaps } from './swaps.ts'
import { benchTimeline } from './timeline.ts'
import { benchWebhooks } from './webhooks.ts'

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const parts = {
  http: benchHttp,
  export: benchExport,
  ledger: benchLedger,
  queues: benchQueues,
  paint: benchPaint,
  fiat: benchFiat,
  swaps: benchSwaps,
  collections: benchCollections,
  cngn: benchCngn,
  webhooks: benchWebhooks,
  'request-log': benchRequestLog,
  timeline: benchTimeline,
  scaling: benchScaling,
  memory: benchMemory,
}
const wanted = process.argv.slice(2)

// All of them, or those named: `npm run bench -- http ledger`.
for (const [name, bench] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  print(`\n== ${name}`)
  await bench(print)
}
