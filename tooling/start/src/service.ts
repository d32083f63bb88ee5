import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { launchGateway } from '@payments/stand'
import { step } from './step.ts'

interface Service {
  /** Without `/v1`. */
  readonly url: string
  readonly dataDir: string
  stop(): Promise<void>
}

/** The service at BASE_URL or on its usual port, if one runs; else one of the demo's own, stopped afterwards. */
export async function findOrStart(receiver: string): Promise<Service> {
  const url = process.env.BASE_URL ?? `http://127.0.0.1:${process.env.PORT ?? 4000}`
  const running = await fetch(`${url}/health`).then(
    (answer) => answer.ok,
    () => false,
  )
  if (running) {
    step('found a running service', url)
    return { url, dataDir: resolve(process.env.DATA_DIR ?? '.data'), stop: async () => undefined }
  }
  if (process.env.BASE_URL) throw new Error(`BASE_URL: nothing answers at ${url}`)
  return start(receiver)
}

async function start(receiver: string): Promise<Service> {
  const dataDir = mkdtempSync(join(tmpdir(), 'payments-demo-'))
  // Open to the user that the database runs as, so that it keeps its data here.
  chmodSync(dataDir, 0o755)
  const own = { DATA_DIR: dataDir, PORT: '0', INTERNAL_PORT: '0', WEBHOOK_DEV_TARGETS: receiver }
  const { url, stop } = await launchGateway({ PROCESS_ROLE: 'all', ...process.env, ...own })
  step('started a service', url)
  return { url, dataDir, stop: () => stop().finally(() => rmSync(dataDir, { recursive: true, force: true })) }
}
