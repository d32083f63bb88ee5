import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { artefact, places, programOf } from '@payments/bundle'

/** For the environment of a process: with the compiled code of the last start it needs half as long. */
export const compileCache = { NODE_COMPILE_CACHE: join(places.root, 'node_modules/.cache/compiled') }

/**
 * What Node runs for a command of the artefact of this checkout, or of another version in an artefact or an unpacked package.
 * @throws Error where this checkout is not built
 */
export const program = (command: string, folder: string = artefact()): readonly string[] => [programOf(folder), command]

/** None outlives this process, as the gateway of a test that has run out of its time would. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts the service as a process, with these settings as its whole environment, from this version or the one in a folder. It ends with this one. */
export function launch(
  settings: Readonly<Record<string, string | undefined>>,
  onOutput: (text: string) => void,
  folder?: string,
): ChildProcess {
  const child = spawn(process.execPath, program('start', folder), {
    cwd: folder ?? places.root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      ...compileCache,
      ...settings,
    },
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => onOutput(chunk.toString('utf8')))
  return child
}

/** A process of the service that serves on a port of its own choice. */
export interface LaunchedGateway {
  /** Without `/v1`. */
  readonly url: string
  readonly pid: number
  /** The last of what it wrote. */
  output(): string
  /** SIGKILL, as in a crash or when out of memory. */
  kill(): void
  stop(): Promise<void>
}

/** Starts a gateway, which may be the worker, too, and waits until it serves. @throws Error with what it wrote when it ends before */
export async function launchGateway(
  settings: Readonly<Record<string, string | undefined>>,
  folder?: string,
  onLine: (line: string) => void = () => undefined,
): Promise<LaunchedGateway> {
  let output = ''
  let line = ''
  let found: (url: string) => void = () => undefined
  const serves = new Promise<string>((resolve) => {
    found = resolve
  })
  const child = launch(
    { PROCESS_ROLE: 'gateway', HOST: '127.0.0.1', PORT: '0', INTERNAL_PORT: '0', ...settings },
    (text) => {
      output = `${output}${text}`.slice(-20_000)
      const lines = `${line}${text}`.split('\n')
      line = lines.pop() ?? ''
      for (const each of lines) onLine(each)
      const url = output.match(/Base URL +(\S+)\/v1/)?.[1]
      if (url) found(url)
    },
    folder,
  )
  const gone = once(child, 'exit')
  const url = await Promise.race([serves, gone.then(() => undefined)])
  if (!url) throw new Error(`The process ended: ${output}`)
  return {
    url,
    pid: child.pid as number,
    output: () => output,
    kill: () => void child.kill('SIGKILL'),
    async stop() {
      child.kill('SIGTERM')
      await gone
    },
  }
}

/** Ends a process and waits until it has ended. */
export async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}
