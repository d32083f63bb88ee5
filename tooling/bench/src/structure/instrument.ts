// Loaded before everything else (`node --import`): every function of the product reports that it was entered, and from where.
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Function as Fn, parseSync, Visitor } from 'oxc-parser'

/** A function that was entered, with the files on its stack, its own first; what was awaited is part of it. */
export type Entry = readonly string[]

const OWN = /\/(packages|services)\/(?!.*\/(node_modules|test)\/).*\/src\/.*\.ts$/
const STACK = 200

let entries: Map<string, Entry> | undefined

/** Called at the begin of each function. */
function enter(place: string): void {
  if (!entries) return
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = STACK
  const { stack = '' } = new Error(place)
  Error.stackTraceLimit = before
  const files = [...stack.matchAll(/\((file:[^)]+?|file:\S+?):\d+:\d+\)|at (?:async )?(file:\S+?):\d+:\d+$/gm)].map(
    ([, named, unnamed]) => fileURLToPath(named ?? unnamed ?? ''),
  )
  const own = files.filter((file) => OWN.test(file))
  const key = `${place} ${own.join(' ')}`
  if (!entries.has(key)) entries.set(key, own)
}
Object.assign(globalThis, { enterFunction: enter })

/** What is entered while this works. */
export async function entered(work: () => Promise<unknown>): Promise<readonly Entry[]> {
  entries = new Map()
  try {
    await work()
    return [...entries.values()]
  } finally {
    entries = undefined
  }
}

/** The text of a file with a call at the begin of each function. */
function instrumented(file: string, text: string): string {
  const inserts: { at: number; text: string }[] = []
  const add = (of: Fn | { body: unknown; type: string }) => {
    const body = of.body as { type: string; start: number; end: number } | null
    if (!body) return
    const call = `enterFunction(${JSON.stringify(`${file}:${body.start}`)})`
    if (body.type === 'BlockStatement' || body.type === 'FunctionBody')
      inserts.push({ at: body.start + 1, text: `${call};` })
    else inserts.push({ at: body.start, text: `(${call},` }, { at: body.end, text: ')' })
  }
  new Visitor({
    FunctionDeclaration: add,
    FunctionExpression: add,
    ArrowFunctionExpression: add,
  }).visit(parseSync(file, text).program)
  let result = text
  for (const { at, text: inserted } of inserts.toSorted((a, b) => b.at - a.at))
    result = result.slice(0, at) + inserted + result.slice(at)
  return result
}

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.startsWith('file:') || !OWN.test(fileURLToPath(url))) return loaded
    return { ...loaded, source: instrumented(fileURLToPath(url), String(loaded.source)) }
  },
})
