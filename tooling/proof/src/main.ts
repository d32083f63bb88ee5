// What `docs/reliability.md` promises, shown by commands: `npm run proof -- [<name>] [--size short] [--times 100] [--seed 1] [--record]`.
// Ends with 1 when a proof has findings. `--record` writes its figures to `docs/derived/proof/<name>.json`, and ends with 1 when there are none.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { ownFiles, proofs } from './index.ts'
import { type ProofOptions, record, wasRun } from './proof.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    size: { type: 'string', default: 'full' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    times: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
})
const print = (line: string): void => void process.stdout.write(`${line}\n`)

const unknown = positionals.filter((name) => !Object.hasOwn(proofs, name))
const size = sizeOf(values.size)
const seed = Number(values.seed)
if (unknown.length > 0) stop(`Name a proof, or none for all of them: ${Object.keys(proofs).join(', ')}`)
const times = values.times === undefined ? undefined : Number(values.times)
if (!Number.isSafeInteger(seed) || seed < 0) stop('--seed must be a whole number')
if (times !== undefined && !(Number.isSafeInteger(times) && times > 0)) stop('--times must be a positive whole number')

const names = positionals.length > 0 ? positionals : Object.keys(proofs)
if (names.length === 1) await prove(names[0] as string)
else for (const name of names) if ((await proveAlone(name)) !== 0) process.exitCode = 1

async function prove(name: string): Promise<void> {
  print(`== ${name}, ${size}, seed ${seed}`)
  const proof = proofs[name]
  if (!proof) return
  const module = await proof.load()
  const started = performance.now()
  const seconds = () => Math.round((performance.now() - started) / 1000)
  const log = (line: string) => print(`${seconds()} s: ${line}`)
  const options: ProofOptions = { size, seed, log, ...(times === undefined ? {} : { times }) }
  const { findings, figures } = await module.run(options)
  const report = { findings, figures: wasRun(figures) ? { ...figures, seconds: seconds() } : {} }
  for (const finding of findings) print(`FINDING ${finding}`)
  print(JSON.stringify(report.figures, null, 2))
  if (!wasRun(figures)) {
    print(`${name}: not run, so that nothing is shown${values.record ? ', and nothing recorded' : ''}`)
    if (values.record) process.exitCode = 1
    return
  }
  print(`${name}: ${findings.length} findings in ${seconds()} s, seed ${seed}`)
  if (values.record) print(`Figures written to ${record(name, ownFiles(proof), options, report)}`)
  if (findings.length > 0) process.exitCode = 1
}

/** In a process of its own: the authorities that one proof trusts, and connections it has open, are nothing to the next. @returns the exit code */
async function proveAlone(name: string): Promise<number> {
  const flags = [`--size=${size}`, `--seed=${seed}`, ...(times === undefined ? [] : [`--times=${times}`])]
  const child = spawn(
    process.execPath,
    [import.meta.filename, name, ...flags, ...(values.record ? ['--record'] : [])],
    { stdio: 'inherit' },
  )
  const end = (signal: NodeJS.Signals) => void child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
  const [code, signal] = await once(child, 'exit')
  if (signal) process.exit(1)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end)
  return code
}

function sizeOf(text: string): ProofOptions['size'] {
  if (text === 'short' || text === 'full') return text
  return stop('--size must be short or full')
}

function stop(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}
