import { type SpawnOptions, spawn } from 'node:child_process'

/** How a program ended, what it printed, and that with its errors between. */
export interface Ended {
  readonly status: number
  readonly printed: string
  readonly output: string
}

type Options = Pick<SpawnOptions, 'cwd' | 'timeout'> & { readonly env?: Record<string, string> }

/** Runs a program of Node until it ends. Its environment is that of this process with `env`. @throws Error when it cannot be started */
export const runProgram = (file: string, args: readonly string[], options: Options = {}): Promise<Ended> =>
  runCommand(process.execPath, [file, ...args], options)

/** Runs a command until it ends, as {@link runProgram} does. @throws Error when it cannot be started */
export function runCommand(command: string, args: readonly string[], { env, ...options }: Options): Promise<Ended> {
  const child = spawn(command, args, { ...options, env: { ...process.env, ...env }, stdio: 'pipe' })
  let [printed, output] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8')
    output += chunk.toString('utf8')
  })
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8')
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ status: code ?? 1, printed, output }))
  })
}
