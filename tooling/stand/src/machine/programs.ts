import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'

/** How a program ended, what it printed, and that with its errors between. */
export interface Ended {
  /** Null where a signal ended it. */
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly printed: string
  readonly output: string
}

type Options = Pick<SpawnOptions, 'cwd' | 'timeout'> & { readonly env?: Record<string, string> }

/** Runs a program of Node until it ends. Its environment is that of this process with `env`. @throws Error when it cannot be started */
export const runProgram = (file: string, args: readonly string[], options: Options = {}): Promise<Ended> =>
  runCommand(process.execPath, [file, ...args], options)

/** Runs a command until it ends, as {@link runProgram} does. @throws Error when it cannot be started */
export const runCommand = (
  command: string,
  args: readonly string[],
  { env, ...options }: Options = {},
): Promise<Ended> => outputOf(spawn(command, args, { ...options, env: { ...process.env, ...env }, stdio: 'pipe' }))

/** Waits for the end of a process, and collects what it writes from now on. @throws Error when it could not be started */
export function outputOf(child: ChildProcess): Promise<Ended> {
  let [printed, output] = ['', '']
  child.stdout?.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8')
    output += chunk.toString('utf8')
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8')
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status, signal) => resolve({ status, signal, printed, output }))
  })
}
