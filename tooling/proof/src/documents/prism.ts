import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@payments/stand'

/** Prism reports violations of a request or its reply in this header, and passes both on. */
const HEADER = 'sl-violations'
const PATIENCE_MS = 60_000

export interface Prism {
  /** Without `/v1`. */
  readonly url: string
  stop(): void
}

/** Starts Stoplight's Prism, installed in `modules`, as a validating proxy between a client and the service. */
export async function startPrism(
  modules: string,
  { file, document, upstream }: { file: string; document: { readonly paths: object }; upstream: string },
): Promise<Prism> {
  // Prism matches whole paths, and knows nothing of an address that ends in a path.
  const paths = Object.entries(document.paths).map(([path, item]) => [path === '/health' ? path : `/v1${path}`, item])
  writeFileSync(file, JSON.stringify({ ...document, servers: [{ url: '/' }], paths: Object.fromEntries(paths) }))
  const port = await freePort()
  const options = ['--host', '127.0.0.1', '--port', String(port), '--errors', 'false', '--multiprocess', 'false']
  const child = spawn(
    process.execPath,
    [join(modules, '@stoplight/prism-cli/dist/index.js'), 'proxy', file, upstream, ...options],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  await listening(child)
  return { url: `http://127.0.0.1:${port}`, stop: () => void child.kill() }
}

/** What Prism found wrong with a request or its reply, a line each. */
export function violationsOf(headers: Headers): string[] {
  const violations = headers.get(HEADER)
  if (!violations) return []
  const found = JSON.parse(violations) as { location: string[]; severity: string; message: string }[]
  return found.map(({ location, message }) => `${location.join('.')}: ${message}`)
}

function listening(child: ChildProcess): Promise<void> {
  let output = ''
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Prism does not listen: ${output}`)), PATIENCE_MS)
    const collect = (chunk: Buffer) => {
      output += chunk.toString('utf8')
      if (!output.includes('Prism is listening')) return
      clearTimeout(timer)
      output = ''
      resolve()
    }
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
    child.once('exit', () => reject(new Error(`Prism ended: ${output}`)))
  })
}
