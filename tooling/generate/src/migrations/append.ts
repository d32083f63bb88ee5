/** A time as names of steps begin with it, later than every name there is. */
export function nextStamp(names: readonly string[], now = new Date()): bigint {
  const current = BigInt(now.toISOString().replaceAll(/\D/g, '').slice(0, 14))
  return names
    .map((name) => BigInt(/^\d+/.exec(name)?.[0] ?? 0))
    .reduce((latest, stamp) => (stamp >= latest ? stamp + 1n : latest), current)
}

/** The text of a `migrations.ts` with one more step at its end. The steps before it are history and stay as they are. */
export function appendStep(text: string, name: string, statements: readonly string[]): string {
  const started = text.replace(/\[\]\s*$/, '[\n]\n')
  const end = started.lastIndexOf('\n]')
  if (end < 0) throw new Error('The file does not end with a list of steps')
  const lines = statements.map((statement) => `      ${literal(layOut(statement))},`)
  const step = ['  {', `    name: '${name}',`, '    up: [', ...lines, '    ],', '  },'].join('\n')
  return `${started.slice(0, end)}\n${step}${started.slice(end)}`
}

/** A table with one column in each line. */
function layOut(statement: string): string {
  const head = /^create table \S+ \(/.exec(statement)?.[0]
  if (!head) return statement
  let depth = 0
  let quoted = false
  const body = [...statement.slice(head.length, -1)].map((character) => {
    if (character === "'") quoted = !quoted
    if (!quoted && character === '(') depth++
    if (!quoted && character === ')') depth--
    return character === ',' && depth === 0 && !quoted ? ',\n       ' : character
  })
  return `${head}\n        ${body.join('')}\n      )`
}

/** A TypeScript string in the style of the formatter. */
function literal(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\')
  if (!text.includes('\n') && !text.includes("'")) return `'${escaped}'`
  if (!text.includes('\n') && !text.includes('"')) return `"${escaped}"`
  return `\`${escaped.replaceAll('`', '\\`').replaceAll('${', '\\${')}\``
}
