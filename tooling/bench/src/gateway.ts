import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

export interface RunningGateway {
  readonly origin: string
  readonly child: ChildProcess
}

/** Starts a server as a process of its own on a database, without limits and, unless `env` says otherwise, without a worker. */
export async function startGateway(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  at: { readonly dataDir: string; readonly ownerUrl: string; readonly serviceUrl: string },
): Promise<RunningGateway> {
  const port = await freePort()
  const child = fork(file, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...process.env,
      PORT: String(port),
      INTERNAL_PORT: '0',
      DATA_DIR: at.dataDir,
      DATABASE_URL: at.serviceUrl,
      DATABASE_OWNER_URL: at.ownerUrl,
      PROCESS_ROLE: 'gateway',
      ...env,
      RATE_LIMIT_GLOBAL: '100000000',
      REFUND_ADDRESS_EVM: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
    },
  })
  const origin = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 1200 && child.exitCode === null; tries++) {
    const answer = await fetch(`${origin}/health`).catch(() => undefined)
    if (answer) return { origin, child }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  child.kill('SIGKILL')
  throw new Error(`${file} does not serve`)
}

/** Memory of a process that is in RAM, in bytes (Linux). */
export const residentBytes = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+) kB/)?.[1] ?? Number.NaN) * 1024

/** Ends gateways and waits until they have. */
export async function stopGateways(gateways: readonly Pick<RunningGateway, 'child'>[]): Promise<void> {
  for (const { child } of gateways) child.kill('SIGTERM')
  await Promise.all(
    gateways.map(
      ({ child }) => new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve(null))),
    ),
  )
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
