import { catalogue, domains } from '@payments/app'
import { gatewayRefusals, openApiDocument, operations } from '@payments/gateway'
import { type Domain, no as kernelRefusals, type RefusalMaker, settingsSchema } from '@payments/kernel'
import { z } from 'zod'

const NOTE = 'Made by `npm run derive`; never edited.'

/** Every file of `docs/derived`, path → text. */
export const derived = (): Record<string, string> => ({
  'docs/derived/openapi.json': `${JSON.stringify(openApiDocument('http://127.0.0.1:4000'), null, 2)}\n`,
  'docs/derived/errors.md': errors(),
  'docs/derived/events.md': events(),
  'docs/derived/states.md': states(),
  'docs/derived/settings.md': settings(),
})

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')

function errors(): string {
  const all = new Map<string, RefusalMaker>()
  for (const row of [
    ...Object.values(kernelRefusals),
    ...Object.values(gatewayRefusals),
    ...operations.flatMap(({ meta }) => meta.refusals),
  ])
    all.set(row.code, row)
  const rows = [...all.values()].sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
  return `# Refusals\n\n${NOTE} Clients branch on the HTTP status and, for 422, on \`errors\`.\n\n${table(
    ['Status', 'Message', 'Code in logs'],
    rows.map((row) => [String(row.status), row.says, `\`${row.code}\``]),
  )}\n`
}

function events(): string {
  const types = Object.entries(catalogue).sort(([a], [b]) => (a < b ? -1 : 1))
  const summary = table(
    ['Type', 'Sent when', 'Opt-in'],
    types.map(([type, row]) => [`\`${type}\``, row.says, row.optIn ? 'yes' : '']),
  )
  const schemas = types.map(
    ([type, row]) =>
      `## ${type}\n\n\`data\`:\n\n\`\`\`json\n${JSON.stringify(z.toJSONSchema(row.data, { reused: 'inline' }), null, 2)}\n\`\`\``,
  )
  return `# Events\n\n${NOTE}\n\n${summary}\n\n${schemas.join('\n\n')}\n`
}

function states(): string {
  const machines = (domains as readonly Domain[])
    .flatMap((domain) => domain.resources ?? [])
    .map(({ machine }) => machine)
  const parts = machines.map(({ name, initial, states: rows }) => {
    const lines = Object.entries(
      rows as Record<string, { says: string; needs?: readonly string[]; moves?: Record<string, string> }>,
    ).map(([state, row]) => [
      `\`${state}\`${state === initial ? ' (initial)' : ''}`,
      row.says,
      Object.entries(row.moves ?? {})
        .map(([event, to]) => `${event} → \`${to}\``)
        .join('<br>') || 'final',
    ])
    return `## ${name}\n\n${table(['State', 'Meaning', 'Moves'], lines)}`
  })
  return `# States\n\n${NOTE} The database refuses every move that is not here.\n\n${parts.join('\n\n')}\n`
}

function settings(): string {
  const rows = Object.entries(settingsSchema.shape).map(([name, schema]) => {
    const parsed = schema.safeParse(undefined)
    const fallback =
      parsed.success && parsed.data !== undefined ? (Array.isArray(parsed.data) ? 'empty' : `\`${parsed.data}\``) : ''
    return [`\`${name}\``, fallback, schema.description ?? '']
  })
  return `# Settings\n\n${NOTE} Environment variables, read once at the start; a bad value stops it with a message that names it.\n\n${table(['Name', 'Default', 'Meaning'], rows)}\n`
}
