import { production, type Source, type Tree } from '@payments/checks'

/** What a file does that must be right. `decides`: it calls a file of its package that writes a status or a posting. */
export type Kind = 'status' | 'posting' | 'amount' | 'access' | 'html' | 'adapter' | 'decides'

/** Functions of these files, and of those that import them, by the package that has them. */
const IMPORTS: readonly (readonly [kind: Kind, owner: string, names: RegExp])[] = [
  ['status', 'packages/platform', /^(createResource|move|moveLocked|resource)$/],
  ['status', 'packages/kernel', /^machine$/],
  ['posting', 'packages/ledger', /^(post|postWithCommit|reserve|capture|reverse|holdDraft|reversalOf)$/],
  ['amount', 'packages/kernel', /^(toMinor|toBoundedMinor|toDecimal|requestedAmount|AmountError)$/],
  ['access', 'packages/accounts', /^(requireConfirmed|requireConfirmedOwner|isOperator|refuseInOperators|actorOf)$/],
  ['access', 'packages/platform', /^(requireSecondOperator|actingFor|authorise)$/],
  ['access', 'packages/kernel', /^(authorise|authoriseToken|permits)$/],
  ['access', 'packages/ledger', /^(countPayout|returnToLimit|guardSuspense)$/],
  ['html', 'packages/pay-page', /^(html|Html)$/],
]
const WRITES_STATUS = /\bset\b[\s\S]*\bstatus *=/
const MARKUP = /<(html|head|body|p|div|a|table|h1|strong|section|script|style)[\s>]/
/** Declarations, and what hands requests, jobs and rows on to these files. */
const HANDS_ON = /(^|-)(index|migrations|router|jobs|operators|schemas|settings|events|errors|metrics|export)\.ts$/
const DECLARES = /(^|\/)(index|migrations|settings)\.ts$/
const ADAPTER = /^packages\/providers\/[^/]+\/src\//

/** The files of the rules, each with what it does: every file that writes a status, a posting, an amount, an access decision or HTML, or that translates what a provider says. */
export function ruleFiles(tree: Tree): ReadonlyMap<string, readonly Kind[]> {
  const names = new Map(tree.packages.map(({ name, folder }) => [name, folder]))
  const all = production(tree)
  const sources = all.filter(({ file }) => !DECLARES.test(file))
  const found = new Map<string, readonly Kind[]>()
  const add = (file: string, kinds: readonly Kind[]) =>
    kinds.length > 0 && found.set(file, [...new Set([...(found.get(file) ?? []), ...kinds])])
  for (const source of sources) add(source.file, kindsOf(source, names))
  for (const { imports } of all)
    for (const { file, names: imported } of imports)
      for (const [kind, owner, wanted] of IMPORTS)
        if (file?.startsWith(`${owner}/`) && imported.some((name) => wanted.test(name))) add(file, [kind])
  const writers = new Set([...found].flatMap(([file, kinds]) => (kinds.some(writes) ? [file] : [])))
  for (const { file, imports } of sources)
    if (
      !found.has(file) &&
      !HANDS_ON.test(file.split('/').at(-1) ?? '') &&
      imports.some((each) => callsWriter(each, writers))
    )
      found.set(file, ['decides'])
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const writes = (kind: Kind): boolean => kind === 'status' || kind === 'posting'

const callsWriter = ({ file, typeOnly }: Source['imports'][number], writers: ReadonlySet<string>): boolean =>
  !typeOnly && file !== undefined && writers.has(file) && !/\/(entity|resources)\.ts$/.test(file)

function kindsOf({ file, imports, texts, identifiers }: Source, folders: ReadonlyMap<string, string>): Kind[] {
  const kinds = new Set<Kind>()
  for (const each of imports)
    for (const [kind, owner, wanted] of IMPORTS) {
      const from = folders.get(each.specifier) ?? (each.file?.startsWith(`${owner}/`) ? owner : undefined)
      if (from === owner && each.names.some((name) => wanted.test(name))) kinds.add(kind)
    }
  if (texts.some(({ value }) => /\b(update|insert)\b/.test(value) && WRITES_STATUS.test(value))) kinds.add('status')
  if (identifiers.has('timingSafeEqual')) kinds.add('access')
  if (identifiers.has('innerHTML') || texts.some(({ value }) => MARKUP.test(value))) kinds.add('html')
  if (ADAPTER.test(file)) kinds.add('adapter')
  return [...kinds]
}
