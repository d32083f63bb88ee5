import { git, migrationsAt } from '@payments/checks'

/** What an operator has to know of a version before it is installed. */
export interface Surface {
  /** Name of each setting → its default, as the generated page has it. */
  readonly settings: ReadonlyMap<string, string>
  readonly migrations: ReadonlySet<string>
}

const NOTHING: Surface = { settings: new Map(), migrations: new Set() }
const SETTING = /^\| `(?<name>[A-Z0-9_]+)` \| (?<value>.*?) \| /gm

/** That of a commit or a tag. */
export const surfaceAt = (commit: string, root: string): Surface => ({
  settings: new Map(
    [...git(['show', `${commit}:docs/derived/settings.md`], root).matchAll(SETTING)].map(({ groups }) => [
      groups?.name ?? '',
      groups?.value ?? '',
    ]),
  ),
  migrations: migrationsAt(commit, root),
})

/** A line for each setting and step of the schema that is new, gone or changed: its name, and what happened to it. */
export function changes(now: Surface, then: Surface = NOTHING): { readonly name: string; readonly change: string }[] {
  const names = [...new Set([...then.settings.keys(), ...now.settings.keys()])].toSorted()
  const settings = names.flatMap((name) => {
    const [before, after] = [then.settings.get(name), now.settings.get(name)]
    if (before === after) return []
    const change =
      before === undefined ? 'new' : after === undefined ? 'gone' : `${before || 'unset'} → ${after || 'unset'}`
    return [{ name, change }]
  })
  const steps = [...now.migrations].filter((name) => !then.migrations.has(name)).toSorted()
  return [...settings, ...steps.map((name) => ({ name, change: 'schema' }))]
}
