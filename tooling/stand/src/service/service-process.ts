import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { launch } from './launch.ts'

/** A process whose connection is cut while it starts ends, and starts again: on a busy machine it may need many tries. */
const START_SECONDS = 300
/** A process that ends by itself is started again after this, as a process manager does. */
const RESTART_MS = 200

export interface ServiceOptions {
  readonly role: 'gateway' | 'worker'
  readonly port: number
  readonly internalPort: number
  /** Settings as environment variables. */
  readonly settings: Readonly<Record<string, string>>
  /** The folder of the version that it runs; this one by default. */
  readonly folder?: string
}

/** A gateway or a worker as an operating system process, started again whenever it ends, until it is stopped. */
export interface ServiceProcess {
  readonly role: ServiceOptions['role']
  /** `http://127.0.0.1:port`, of a gateway. */
  readonly url: string
  readonly internalUrl: string
  /** How often it was started, also by itself after an end. */
  starts(): number
  /** Waits until `/readyz` answers 200. @throws Error when it does not within five minutes */
  ready(): Promise<void>
  /** SIGKILL, also during a start. It is started again at once. */
  kill(): Promise<void>
  /** SIGTERM, and waits for the end. @returns the exit code */
  stop(): Promise<number | null>
  /** Starts it again after `stop`, perhaps of another version or with other settings. */
  start(changed?: Partial<Pick<ServiceOptions, 'folder' | 'settings'>>): void
}

export function startServiceProcess(options: ServiceOptions, onOutput: (text: string) => void): ServiceProcess {
  const internalUrl = `http://127.0.0.1:${options.internalPort}`
  let current = options
  let wanted = true
  let starts = 1
  let last = ''
  const collect = (text: string) => {
    last = `${last}${text}`.slice(-4000)
    onOutput(text)
  }
  let child: ChildProcess = start()
  watch(child)

  function start(): ChildProcess {
    const { role, port, internalPort, settings, folder } = current
    const own = { PROCESS_ROLE: role, HOST: '127.0.0.1', PORT: String(port), INTERNAL_PORT: String(internalPort) }
    return launch({ ...settings, ...own }, collect, folder)
  }
  function watch(each: ChildProcess): void {
    each.once('exit', () => {
      if (!wanted || each !== child) return
      setTimeout(() => {
        if (wanted && each === child) begin()
      }, RESTART_MS)
    })
  }
  function begin(): void {
    starts++
    child = start()
    watch(child)
  }

  return {
    role: options.role,
    url: `http://127.0.0.1:${options.port}`,
    internalUrl,
    starts: () => starts,
    async ready() {
      const before = starts
      for (const end = Date.now() + START_SECONDS * 1000; Date.now() < end; await sleep(25)) {
        const answer = await fetch(`${internalUrl}/readyz`, { signal: AbortSignal.timeout(3000) }).catch(
          () => undefined,
        )
        if (answer?.ok) return
      }
      throw new Error(
        `The ${options.role} was not ready within ${START_SECONDS} s, in which it started ${starts - before} times again: ${last}`,
      )
    },
    async kill() {
      const killed = child
      if (!running(killed)) return
      const gone = once(killed, 'exit')
      killed.kill('SIGKILL')
      await gone
      if (wanted && killed === child) begin()
    },
    async stop() {
      wanted = false
      if (!running(child)) return child.exitCode
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      const [code] = (await gone) as [number | null]
      return code
    },
    start(changed) {
      current = { ...current, ...changed }
      wanted = true
      begin()
    },
  }
}

/** The errors that ended a process because nothing handled them, from what the processes wrote: Node closes such a report with its version. */
export const unhandledErrors = (output: string): string[] =>
  output
    .split(/^Node\.js v\d+\.\d+\.\d+$/m)
    .slice(0, -1)
    .map(
      (text) =>
        `a process ended by an error that nothing handled: ${text.match(/^.*error: .*(\n +at .*)*/gim)?.at(-1) ?? text.slice(-500)}`,
    )

const running = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null
