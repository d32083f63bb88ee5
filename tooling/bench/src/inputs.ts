import { checkInput } from '@payments/kernel'
import { HOSTILE_BODIES } from '@payments/stand'

const ROUNDS = 200
/** How much a body's check may cost in addition to `JSON.parse`, in times of it. */
const MOST = 2

/**
 * What it costs to check a body of 100 kB before its schema, as a multiple of what `JSON.parse` takes for it, in the same run. Fails
 * for a body whose check costs more than twice that: whoever sends it would get more work done than it pays for.
 */
export async function benchInputs(print: (line: string) => void): Promise<void> {
  for (const [name, text] of Object.entries(HOSTILE_BODIES)) {
    const value = JSON.parse(text)
    let [parsed, checked] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let round = 0; round < ROUNDS; round++) {
      parsed = Math.min(
        parsed,
        milliseconds(() => JSON.parse(text)),
      )
      checked = Math.min(
        checked,
        milliseconds(() => checkInput(value)),
      )
    }
    const within = checked <= MOST * parsed
    if (!within) process.exitCode = 1
    print(`${name.padEnd(46)} ${(checked / parsed).toFixed(2)} of JSON.parse${within ? '' : ': too much'}`)
  }
}

function milliseconds(work: () => unknown): number {
  const started = performance.now()
  try {
    work()
  } catch {
    // Most of these bodies are refused.
  }
  return performance.now() - started
}
